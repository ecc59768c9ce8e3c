// The card of a proposed write: what exactly would be written, until when it
// can be decided, and what became of it.
import { useState } from 'preact/hooks'
import { clock } from './api'
import { decisions, type Put } from './decisions'
import { decimal, faultText, label, money, t, when, word } from './i18n'
import { EarlierRevisions } from './lazy'
import { leads, safeHref } from './markdown'
import { Countdown, Failure, Icon, type IconName } from './parts'
import { PreviewBody } from './preview'
import { listHref } from './records'
import { session } from './session'
import { announcer, memo, useStore } from './store'
import type { Notice } from './transcript'
import type { Card, Preview, Refusal } from './types'

interface Props { card: Card; before?: Card; notice?: Notice; put: Put; where?: preact.ComponentChildren }

export const Proposal = memo(function Proposal({ card, before, notice, put, where }: Props) {
  useStore(decisions)
  useStore(session)
  const p = card.preview
  const open = card.status === 'awaiting_approval'
  const moved = before?.refusal?.fact ? before.refusal : undefined
  const title = titled(p)
  return (
    <article class={`card st-${card.status}`} id={'op-' + card.op_id} aria-labelledby={'t-' + card.op_id} data-op={card.op_id} data-status={card.status}>
      <header>
        <div class="card-title">
          <h3 id={'t-' + card.op_id}>{title}</h3>
          <p class="object">{p.object}</p>
        </div>
        <Pill status={card.status} queued={decisions.of(card).queued && open} />
      </header>
      {open && p.batch && <p class="note strong"><Icon name="warn" />{t('card.batch')}</p>}
      {open && moved && <p class="note strong moved"><Icon name="warn" /><Moved refusal={moved} text={t('card.moved')} /></p>}
      <Outcome card={card} put={put} />
      {open || card.status === 'draft' ? <Body card={card} moved={moved} /> : (
        <details class="fold"><summary>{t(card.status === 'executed' || card.status === 'completed' ? 'card.written' : 'card.was')}</summary><Body card={card} moved={moved} /></details>
      )}
      {where}
      {notice && <p class="note">{t('card.refused_decision', { channel: word('channel', notice.channel ?? ''), reason: faultText(notice.code, notice.params) })}</p>}
      {open && <Decide key={card.pending_id} card={card} put={put} />}
    </article>
  )
})

/** "Create sales order"; an action of the form's own, or one like "Cancel order", names its object itself. Like Preview.Title in Go. */
function titled(p: Preview): string {
  const alone = ['submit', 'withdraw', 'unexamine', 'close', 'cancel'].includes(p.action) && !p.action_label.en.includes(' ')
  return alone || ['create', 'update', 'delete', 'examine', 'generate'].includes(p.action) ? t('card.title', { action: label(p.action_label), form: inside(label(p.form_label)) }) : label(p.action_label)
}
/** A label within a sentence: "Sales order" begins small, "VAT rate" does not. */
const inside = (s: string): string => (/^[A-Z][a-z ]/.test(s) ? s[0]!.toLowerCase() + s.slice(1) : s)

/** People by name: an outcome of the journal has ids. */
function nameOf(card: Card, id?: string): string {
  return id === card.requester_id ? card.requester_name || id : id && id === session.user?.user_id ? session.user!.display_name : id ?? ''
}

function Body({ card, moved }: { card: Card; moved?: Refusal }) {
  const c = card.capabilities
  return (
    <>
      <PreviewBody preview={card.preview} moved={moved} />
      {card.reason && <div class="reason"><span>{t('card.reason')}</span><q lang="">{card.reason}</q></div>}
      <dl class="meta">
        <div><dt>{t('card.requester')}</dt><dd>{card.requester_name || card.requester_id}</dd></div>
        <div><dt>{t('card.revision')}</dt><dd>{card.revision}</dd></div>
        <div><dt>{t('card.risk')}</dt><dd>{word('risk', card.risk)}</dd></div>
        <div><dt>{t('card.policy')}</dt><dd>{card.policy === 'self' ? t('policy.self') : card.policy}</dd></div>
      </dl>
      <Earlier card={card} />
      <details class="fold guarantees">
        <summary>{t('card.guarantees')}</summary>
        <ul>
          <li>{t(c.idempotent_execute ? 'can.once' : 'cannot.once')}</li>
          <li>{t(c.facts_under_lock ? 'can.lock' : 'cannot.lock')}</li>
          <li>{t(c.fence ? 'can.fence' : 'cannot.fence')}</li>
          <li>{t(c.dry_run ? 'can.dry' : 'cannot.dry')}</li>
        </ul>
        <p class="quiet">{t('card.digest')} <code>{card.digest.slice(0, 16)}</code></p>
      </details>
    </>
  )
}

/** The earlier revisions of the draft, asked for once they are opened; a draft is its requester's alone. */
function Earlier({ card }: { card: Card }) {
  const [open, setOpen] = useState(false)
  if (!card.draft_id || (card.draft_revision ?? 0) < 2 || card.requester_id !== session.user?.user_id) return null
  return (
    <details class="fold earlier" onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>{t('card.earlier')}</summary>
      {open && <div><EarlierRevisions card={card} nameOf={(id) => nameOf(card, id)} /></div>}
    </details>
  )
}

const ICONS: Record<string, IconName> = { handed_off: 'edit', abandoned: 'clock', executed: 'check', completed: 'check', awaiting_approval: 'clock', expired: 'clock', refused: 'warn', failed: 'warn', needs_person: 'warn', needs_login: 'warn', rejected: 'close', cancelled: 'close' }
function Pill({ status, queued }: { status: string; queued: boolean }) {
  const busy = ['approved', 'executing', 'reconciling'].includes(status) || queued
  return (
    <span class={`pill p-${queued ? 'queued' : status}`}>
      {busy ? <i class="spin" aria-hidden="true" /> : ICONS[status] && <Icon name={ICONS[status]!} />}
      {queued ? t('status.queued') : word('status', status)}
    </span>
  )
}

const shown = (r: Refusal, s = ''): string => (r.fact?.kind === 'price' ? money(s) : r.fact?.kind === 'stock' ? decimal(s) : r.fact?.kind === 'state' ? word('state', s) : s)

/** The fact that moved, old and new. */
function Moved({ refusal, text }: { refusal: Refusal; text: string }) {
  const f = refusal.fact!
  const show = (s?: string) => shown(refusal, s)
  return (
    <span class="moved-fact">
      {text} <span class="fact-name">{t('card.fact', { label: label(f.label), object: f.object })}</span>{' '}
      <del><span class="sr">{t('diff.before')} </span>{show(refusal.old)}</del> <span aria-hidden="true">→</span>{' '}
      <ins><span class="sr">{t('diff.after')} </span>{show(refusal.new)}</ins>
    </span>
  )
}

function Outcome({ card, put }: { card: Card; put: Put }) {
  const desk = decisions.of(card)
  const who = { name: card.decided_by_name || nameOf(card, card.decided?.by), at: when(card.decided?.at), channel: word('channel', card.decided?.channel ?? '') }
  const decidedBy = card.decided && (card.decided_by_name || card.decided.by) && card.decided.status !== 'expired'
    ? <p class="quiet by">{t('card.decided_by', { ...who, verdict: word('verdict', card.decided.status) })}</p> : null
  const link = safeHref(card.link)
  switch (card.status) {
    case 'awaiting_approval':
      return desk.queued ? <p class="result">{t('card.queued', { deadline: when(card.deadline) })}</p> : null
    case 'executed': case 'completed':
      return (
        <div class="result good">
          <p><Icon name="check" />{t(card.status === 'completed' ? 'card.completed' : 'card.executed', { form: inside(label(card.preview.form_label)) })}{' '}
            {card.bill && (link ? <a class="bill" href={link} {...leads(link)}>{card.bill}</a> : <strong class="bill">{card.bill}</strong>)}</p>
          {decidedBy}
        </div>
      )
    case 'refused': {
      const r = card.refusal
      const f = r?.fact
      return (
        <div class="result bad">
          <p>{faultText(r?.code ?? 'internal', { object: f?.object ?? card.preview.object, label: label(f?.label), old: r ? shown(r, r.old) : '', new: r ? shown(r, r.new) : '', detail: r?.detail ?? '', form: label(card.preview.form_label), action: label(card.preview.action_label) })}</p>
          {f && <p class="fact"><Moved refusal={r!} text={t('card.changed_fact')} /></p>}
          {decidedBy}
          <Again card={card} put={put} />
        </div>
      )
    }
    case 'failed':
      return (
        <div class="result bad">
          <p>{t('card.failed')}</p>
          <p class="row"><button type="button" class="btn" disabled={!!desk.busy} onClick={() => decisions.again(card, 'retry', put)}>{desk.busy ? t('card.retrying') : t('card.retry')}</button></p>
          <Failure problem={desk.problem} />
        </div>
      )
    case 'needs_login':
      return (
        <div class="result">
          <p>{t('card.needs_login')}</p>
          <p class="row"><button type="button" class="btn" onClick={() => session.expire()}>{t('login.again')}</button></p>
        </div>
      )
    case 'handed_off': {
      const own = card.requester_id === session.user?.user_id
      return (
        <div class="result">
          <p>{t('card.handed_off')}</p>
          {decidedBy}
          {own && <p class="row"><a class="btn primary" data-finish href={`${listHref(card.preview.form)}?staging=${encodeURIComponent(card.op_id)}`}>{t('card.finish')}</a></p>}
          <Failure problem={desk.problem} />
        </div>
      )
    }
    default: {
      const text = { approved: t('card.approved'), executing: t('card.executing'), reconciling: t('card.reconciling'), needs_person: t('card.needs_person'),
        rejected: t('card.rejected'), cancelled: t(card.replaced_by || card.refusal?.code === 'draft_changed' ? 'card.superseded' : 'card.cancelled'), expired: t('card.expired'), abandoned: t('card.abandoned') }[card.status]
      if (!text) return null
      return <div class="result"><p>{text}</p>{decidedBy}{card.status === 'expired' ? <Again card={card} put={put} /> : <Failure problem={desk.problem} />}</div>
    }
  }
}

/** One click to a fresh preview of the same request, for whoever made it. */
function Again({ card, put }: { card: Card; put: Put }) {
  const desk = decisions.of(card)
  if (card.replaced_by) return <p class="quiet"><a href={'#op-' + card.replaced_by}>{t('card.replaced')}</a></p>
  if (card.requester_id !== session.user?.user_id) return <Failure problem={desk.problem} />
  return (
    <>
      <p class="row"><button type="button" class="btn" disabled={!!desk.busy} onClick={() => decisions.again(card, 'repropose', put)}>{desk.busy ? t('card.reproposing') : t('card.repropose')}</button></p>
      <Failure problem={desk.problem} />
    </>
  )
}

/** Confirm and cancel: equally plain, locked while one is on its way. */
function Decide({ card, put }: { card: Card; put: Put }) {
  const desk = decisions.of(card)
  const own = card.requester_id === session.user?.user_id
  const [comment, setComment] = useState('')
  const [over, setOver] = useState(Date.parse(card.deadline) <= clock.now())
  const locked = !!desk.busy || desk.queued || over
  const ended = () => {
    setOver(true)
    announcer.say(t('say.expired'))
    void decisions.look(card, put)
  }
  return (
    <footer class="decide">
      <Failure problem={desk.problem}>{desk.problem?.again && <span class="quiet">{t('card.again')}</span>}</Failure>
      {!own && !over && <label class="comment"><span>{t('card.comment')}</span><input type="text" maxLength={500} value={comment} disabled={locked} onInput={(e) => setComment(e.currentTarget.value)} /></label>}
      {card.manual && own && <p class="quiet">{t('card.manual')}</p>}
      <div class="row">
        <button type="button" class="btn choice" data-verb="approve" disabled={locked} onClick={() => decisions.decide(card, 'approve', put)}>
          {desk.busy === 'approve' ? t('card.confirming') : t(card.manual ? 'card.confirm_manual' : 'card.confirm')}<span class="sr"> {card.preview.object}</span>
        </button>
        <button type="button" class="btn choice" data-verb="cancel" disabled={locked} onClick={() => decisions.decide(card, 'cancel', put, comment)}>
          {desk.busy === 'cancel' ? t('card.cancelling') : t(own ? 'card.cancel' : 'card.reject')}<span class="sr"> {card.preview.object}</span>
        </button>
        <Countdown key={card.pending_id} deadline={card.deadline} onEnd={ended} />
      </div>
      {over && <p class="quiet">{t('card.checking')}</p>}
    </footer>
  )
}
