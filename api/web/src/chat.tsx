// The conversation on the screen: turns, calls, cards, and the way to the end.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Composer } from './composer'
import type { Conversation } from './conversation'
import { faultText, t } from './i18n'
import { Markdown } from './markdown'
import { copy, Failure, Icon, IconButton } from './parts'
import { Proposal } from './proposal'
import { AskedFormCard } from './askedform'
import { QuestionCard } from './question'
import { session } from './session'
import { memo, useStore } from './store'
import { Timeline } from './timeline'
import type { CallView, MessageView, TurnView } from './transcript'

export function Chat({ conversation }: { conversation: Conversation }) {
  useStore(conversation)
  useStore(session)
  const list = useRef<HTMLDivElement>(null)
  const follow = useRef(true)
  const [away, setAway] = useState(false)
  const view = conversation.view
  const asked = view.turns.length + (conversation.sending ? 1 : 0)

  const end = (smooth?: boolean) => {
    follow.current = true
    setAway(false)
    const calm = matchMedia('(prefers-reduced-motion: reduce)').matches
    list.current!.scrollTo({ top: list.current!.scrollHeight, behavior: smooth && !calm ? 'smooth' : 'instant' })
  }
  // Follow only from the bottom; any upward move lets go.
  const last = useRef(0)
  const scrolled = () => {
    const el = list.current!
    const bottom = el.scrollHeight - el.scrollTop - el.clientHeight < 48
    if (el.scrollTop < last.current - 2 && !bottom) follow.current = false
    else if (bottom) follow.current = true
    last.current = el.scrollTop
    setAway(!bottom)
  }
  useLayoutEffect(() => {
    if (follow.current && conversation.loaded) { list.current!.scrollTop = list.current!.scrollHeight; last.current = list.current!.scrollTop }
  })
  useEffect(() => {
    if (!conversation.loaded) return
    if (session.stay) { // the question stays in sight, the answer grows below it
      follow.current = false
      list.current!.querySelector('.turn:last-child')?.scrollIntoView({ block: 'start' })
    } else end()
  }, [asked, conversation.loaded])
  useEffect(() => {
    const el = list.current!
    const grow = new ResizeObserver(() => { if (follow.current) el.scrollTop = el.scrollHeight })
    grow.observe(el)
    return () => grow.disconnect()
  }, [])

  if (conversation.missing) return <main class="center"><div class="empty"><h2>{t('chat.missing')}</h2><p><a class="btn" href="/">{t('new')}</a></p></div></main>
  const lastTurn = view.turns.at(-1)
  return (
    <main class="chat">
      <Connection conversation={conversation} />
      <div class="transcript" ref={list} onScroll={scrolled} tabIndex={0} role="region" aria-label={t('chat.transcript')}>
        <div class="column">
          {!conversation.loaded && !conversation.problem && <p class="loading"><i class="spin" aria-hidden="true" />{t('loading')}</p>}
          {view.turns.map((turn) => <Turn key={turn.id} turn={turn} conversation={conversation} last={turn === lastTurn} />)}
          {conversation.sending && <section class="turn"><div class="user pending-send"><p>{conversation.sending.text}</p></div></section>}
          <Failure problem={conversation.problem}>{!conversation.loaded && <button type="button" class="btn" onClick={() => void conversation.open()}>{t('again')}</button>}</Failure>
        </div>
      </div>
      {away && <button type="button" class="jump" onClick={() => end(true)}><Icon name="down" />{t('chat.latest')}</button>}
      <Composer conversation={conversation} />
    </main>
  )
}

function Connection({ conversation }: { conversation: Conversation }) {
  const s = conversation.stream
  if (!s || s.connected || s.attempts < 1 || session.expired) return null
  return <div class="banner" role="status"><i class="spin" aria-hidden="true" />{t('reconnecting', { n: s.attempts })}</div>
}

function Turn({ turn, conversation, last }: { turn: TurnView; conversation: Conversation; last: boolean }) {
  const view = conversation.view
  const parts: preact.ComponentChild[] = []
  let calls: CallView[] = []
  const live = turn.status === 'running' || turn.status === 'waiting'
  const flush = () => {
    if (calls.length) parts.push(<Timeline key={'calls-' + calls[0]!.call_id} calls={calls} live={live} lang={session.lang} />)
    calls = []
  }
  for (const item of turn.items) {
    if (item.kind === 'call') { const c = view.calls.get(item.id); if (c) calls.push(c); continue }
    flush()
    if (item.kind === 'message') { const m = view.messages.get(item.id); if (m) parts.push(<Answer key={item.id} message={m} lang={session.lang} />) }
    if (item.kind === 'question') { const q = view.questions.get(item.id); if (q) parts.push(q.form ? <AskedFormCard key={item.id} q={q} /> : <QuestionCard key={item.id} q={q} conversation={conversation} />) }
    if (item.kind === 'card') {
      const c = view.cards.get(item.id)
      if (c) parts.push(<Proposal key={item.id} card={c} before={c.replaces ? view.cards.get(c.replaces) : undefined} notice={view.notices.get(item.id)} put={conversation.put} lang={session.lang} />)
    }
  }
  flush()
  const writing = turn.items.some((i) => i.kind === 'message' && view.messages.get(i.id)?.stored === false && view.messages.get(i.id)?.text)
  return (
    <section class="turn" data-turn={turn.id} data-status={turn.status}>
      {turn.user && <div class="user" tabIndex={-1}><h2 class="sr">{t('you')}</h2><p>{turn.user.text}</p></div>}
      {parts.length > 0 && <h2 class="sr">{t('agent')}</h2>}
      {parts}
      {turn.status === 'running' && !writing && <p class="thinking"><i class="dots" aria-hidden="true"><b /><b /><b /></i>{t('turn.working')}</p>}
      {turn.queued && turn.status === 'waiting' && <p class="turn-end">{t('turn.queued')}</p>}
      {turn.status === 'stopped' && <p class="turn-end">{t('turn.stopped', { count: turn.items.filter((i) => view.calls.get(i.id)?.phase === 'finished').length })}</p>}
      {(turn.status === 'failed' || turn.status === 'limit') && (
        <div class="turn-end failure" role={last ? 'alert' : undefined}><Icon name="warn" /><span>{faultText(turn.code ?? 'internal', turn.params)}</span>
          {last && <button type="button" class="btn" disabled={!!conversation.busy} onClick={() => void conversation.resume()}>{t('resume')}</button>}</div>
      )}
    </section>
  )
}

const Answer = memo(function Answer({ message: m }: { message: MessageView }) {
  if (!m.text && !m.reasoning) return null
  return (
    <div class={`agent ${m.stored ? '' : 'streaming'}`} data-message={m.message_id} tabIndex={-1}>
      {m.reasoning && <details class="fold reasoning"><summary>{t('reasoning')}</summary><Markdown text={m.reasoning} lang={session.lang} /></details>}
      <Markdown text={m.text} lang={session.lang} />
      {m.stored && m.text && <div class="tools"><IconButton icon="copy" text={t('copy')} onClick={() => void copy(m.text)} />{m.model && <span class="quiet">{session.demo ? t('model.demo') : m.model}</span>}</div>}
    </div>
  )
})
