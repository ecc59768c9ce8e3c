// What the ERP would make of it, as the preview tells: totals, stock, balances.
import { faultText, label, language, money, t } from '../i18n'
import { Diffs, inLines } from '../preview'
import { PreviewBody } from '../preview'
import type { Draft } from './draft'

/** Below a form: the total at once, the rest as it follows. It keeps its place while it is worked out. */
export function Effects({ draft: d, priced }: { draft: Draft; priced: boolean }) {
  const p = d.preview
  const asked = d.updating || d.setup.staging ? (p?.diffs ?? []).filter((x) => !x.derived) : []
  const derived = (p?.diffs ?? []).filter((x) => x.derived && !inLines(p!, x) && x.after !== p!.total)
  return (
    <section class="effects" aria-label={t('effects')} aria-busy={d.looking} data-looked={!d.looking && !!p}>
      {!p && !priced && !d.blind && (d.looking || !d.dirty) && <p class="quiet">{t(d.looking ? 'effects.busy' : 'effects.none')}</p>}
      {asked.length > 0 && <Diffs diffs={asked} caption={t('diff.asked')} />}
      {(priced || p?.total) && <p class="total row between"><span>{t('line.total')}</span><strong>{p?.total ? `${p.currency ?? ''} ${money(p.total)}` : '—'}</strong></p>}
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
