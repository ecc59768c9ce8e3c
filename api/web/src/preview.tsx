// The picture inside a card: lines with prices and stock, fields old and new,
// what follows from them, the total and what the change does not do.
import { day, decimal, label, money, t, when } from './i18n'
import type { Diff, Line, Preview, Refusal } from './types'

export function PreviewBody({ preview: p, moved }: { preview: Preview; moved?: Refusal }) {
  const asked = (p.diffs ?? []).filter((d) => !d.derived)
  const derived = (p.diffs ?? []).filter((d) => d.derived && !inLines(p, d))
  return (
    <div class="preview">
      {asked.length > 0 && <Diffs diffs={asked} caption={t('diff.asked')} moved={moved} />}
      {!!p.lines?.length && <Lines preview={p} lines={p.lines} moved={moved} />}
      {!p.lines?.length && p.total && <p class="total">{t('line.total')} <strong>{p.currency} {money(p.total)}</strong></p>}
      {derived.length > 0 && <Diffs diffs={derived} caption={t('diff.derived')} moved={moved} derived />}
      {(!!p.notes?.length || p.provisional) && (
        <ul class="notes">{p.provisional && <li>{t('card.provisional')}</li>}{p.notes?.map((n) => <li>{label(n)}</li>)}</ul>
      )}
    </div>
  )
}

/** What the lines say already (their stock, the total, the currency) is not said twice. */
export function inLines(p: Preview, d: Diff): boolean {
  if (!p.lines?.length) return false
  if (!d.object) return (d.after === p.total && d.before === '') || d.after === p.currency
  return p.lines.some((l) => d.object!.includes(l.product) && d.before === l.stock_before && d.after === l.stock_after)
}

/** By the kind of the field. Without one, whole numbers may be telephone numbers and stay as they are. */
function show(d: Diff, s: string): string {
  switch (d.type) {
    case 'money': return money(s)
    case 'decimal': case 'integer': return decimal(s)
    case 'date': return day(s)
    case 'datetime': return when(s)
    case undefined: return /^-?\d+\.\d+$/.test(s) ? decimal(s) : s
    default: return s
  }
}

export function Diffs({ diffs, caption, moved, derived }: { diffs: Diff[]; caption: string; moved?: Refusal; derived?: boolean }) {
  const changes = diffs.some((d) => d.before !== '')
  return (
    <table class={`diffs ${derived ? 'derived' : ''}`}>
      <caption>{caption}</caption>
      <thead class="sr"><tr><th scope="col">{t('diff.field')}</th><th scope="col">{changes ? t('diff.change') : t('diff.value')}</th></tr></thead>
      <tbody>
        {diffs.map((d) => (
          <tr class={moved?.fact && d.field === moved.fact.field && (!d.object || d.object === moved.fact.object) ? 'hit' : undefined}>
            <th scope="row">{label(d.label)}{d.object && <small>{d.object}</small>}{d.derived && <span class="tag">{t('diff.derived_tag')}</span>}</th>
            <td>
              {d.before !== '' && <><del><span class="sr">{t('diff.before')} </span>{show(d, d.before)}</del> <span class="arrow" aria-hidden="true">→</span> </>}
              {changes ? <ins><span class="sr">{t('diff.after')} </span>{d.after === '' ? t('diff.empty') : show(d, d.after)}</ins> : show(d, d.after)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Lines({ preview: p, lines, moved }: { preview: Preview; lines: Line[]; moved?: Refusal }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={t('line.caption')}>
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">{t('line.product')}</th><th scope="col" class="a-right">{t('line.quantity')}</th><th scope="col" class="a-right">{t('line.base')}</th>
            <th scope="col" class="a-right">{t('line.discount')}</th><th scope="col" class="a-right">{t('line.unit_price')}</th>
            <th scope="col" class="a-right">{t('line.amount')}</th><th scope="col" class="a-right">{t('line.stock')}</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((l) => (
            <tr class={moved?.fact?.key === l.product ? 'hit' : undefined}>
              <th scope="row">{l.product_name}<small>{l.product}</small></th>
              <td class="num" data-label={t('line.quantity')}>{decimal(l.quantity)} {l.unit}</td>
              <td class="num" data-label={t('line.base')}>{money(l.base_price)}</td>
              <td class="num" data-label={t('line.discount')}>{/^0*(\.0+)?$/.test(l.discount) ? t('line.none') : t('line.off', { percent: decimal(l.discount) })}</td>
              <td class="num" data-label={t('line.unit_price')}>{money(l.unit_price)}</td>
              <td class="num strong" data-label={t('line.amount')}>{money(l.amount)}</td>
              <td class="num" data-label={t('line.stock')}>
                {(l.stock_before || l.stock_after) && <><del><span class="sr">{t('diff.before')} </span>{decimal(l.stock_before)}</del> <span class="arrow" aria-hidden="true">→</span> <ins><span class="sr">{t('diff.after')} </span>{decimal(l.stock_after)}</ins></>}
                {l.warehouse && <small>{l.warehouse}</small>}
              </td>
            </tr>
          ))}
        </tbody>
        {p.total && <tfoot><tr><th scope="row" colSpan={5}>{t('line.total')}</th><td class="num total" colSpan={2}>{p.currency} {money(p.total)}</td></tr></tfoot>}
      </table>
    </div>
  )
}
