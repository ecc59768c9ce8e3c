// What the ERP would make of it, as the preview tells: totals, stock, balances.
import type { ComponentChildren } from 'preact'
import { faultText, label, language, money, t } from '../i18n'
import { Diffs, inLines } from '../preview'
import { PreviewBody } from '../preview'
import type { Draft } from './draft'

/**
 * The total and the buttons. They stand above what grows and shrinks while it is
 * worked out, so that no button moves away from under the pointer.
 */
export function SaveRow({ draft: d, children }: { draft: Draft; children: ComponentChildren }) {
  const priced = d.setup.form.fields.some((f) => f.name === 'total')
  return (
    <div class="row between save" aria-busy={d.looking}>
      {priced ? <p class="total"><span>{t('line.total')}</span> <strong>{d.preview?.total ? `${d.preview.currency ?? ''} ${money(d.preview.total)}` : '—'}</strong></p> : <span />}
      <span class="row end">{children}</span>
    </div>
  )
}

/** What follows from a form that is keyed in. */
export function Effects({ draft: d }: { draft: Draft }) {
  const p = d.preview
  const asked = d.updating || d.setup.staging ? (p?.diffs ?? []).filter((x) => !x.derived) : []
  const derived = (p?.diffs ?? []).filter((x) => x.derived && !inLines(p!, x) && x.after !== p!.total)
  return (
    <section class="effects" aria-label={t('effects')} aria-busy={d.looking} data-looked={!d.looking && !!p}>
      {!p && !d.blind && d.lacks.length === 0 && (d.looking || !d.dirty) && <p class="quiet">{t(d.looking ? 'effects.busy' : 'effects.none')}</p>}
      {asked.length > 0 && <Diffs diffs={asked} caption={t('diff.asked')} />}
      {derived.length > 0 && <Diffs diffs={derived} caption={t('diff.derived')} derived />}
      {d.lacks.length > 0 && <p class="quiet" data-lacks>{t('effects.lacks', { what: d.lacks.slice(0, 3).map(lacking).join(language() === 'zh' ? '；' : '; ') })}</p>}
      <Notes draft={d} />
    </section>
  )
}

const lacking = (x: Draft['lacks'][number]): string => `${x.line ? t('lines.cell', { label: label(x.field.label), n: x.line }) : label(x.field.label)} ${x.detail}`

function Notes({ draft: d }: { draft: Draft }) {
  const p = d.preview
  return (
    <>
      {(!!p?.notes?.length || p?.provisional) && <ul class="notes">{p.provisional && <li>{t('card.provisional')}</li>}{p.notes?.map((n) => <li>{label(n)}</li>)}</ul>}
      {d.blind && d.blind.status !== 401 && <p class="note">{d.blind.again ? t('effects.blind') : faultText(d.blind.code, d.blind.params)}</p>}
    </>
  )
}

/** The whole picture, for what is not keyed in line by line. */
export function Picture({ draft: d }: { draft: Draft }) {
  return (
    <section class="effects" aria-label={t('effects')} aria-busy={d.looking} data-looked={!d.looking && !!d.preview}>
      {d.preview ? <PreviewBody preview={d.preview} /> : d.looking ? <p class="loading"><i class="spin" aria-hidden="true" />{t('effects.busy')}</p> : null}
      {d.blind && d.blind.status !== 401 && <p class="note" role="alert">{d.blind.again ? t('effects.blind') : faultText(d.blind.code, d.blind.params)}</p>}
    </section>
  )
}
