// Rows under their labels; figures stand at the right.
import type { ComponentChildren } from 'preact'
import { label, t } from '../i18n'
import { isFigure, key, recordHref, type Shown, value } from '../records'
import type { Row, Sort } from '../types'

/** A value; a link leads to the record that it names, whose form may stand beside it (document, document_form). to overrides where. */
export function Value({ x, row, to }: { x: Shown; row: Row; to?: string }): ComponentChildren {
  const text = value(x, row)
  const k = key(x, row)
  const form = to ?? (x.field.type === 'link' ? x.field.link_form : row[x.field.name + '_form'] as string | undefined)
  if (!form || !k) return text || <span class="quiet">—</span>
  return <><a href={recordHref(form, k)}>{text || k}</a>{text && text !== k && <small>{k}</small>}</>
}

const align = (x: Shown) => (isFigure(x.field) ? 'num' : x.field.type === 'date' || x.field.type === 'datetime' || x.field.type === 'option' ? 'nb' : x.name ? 'named' : undefined)

interface Props { caption: string; columns: Shown[]; rows: Row[]; first?: (row: Row) => ComponentChildren; to?: (x: Shown) => string | undefined; sort?: Sort; onSort?: (field: string) => void; busy?: boolean }

/** With onSort, the labels of the columns that can be sorted are buttons. */
export function Table({ caption, columns, rows, first, to, sort, onSort, busy }: Props) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={caption} aria-busy={busy}>
      <table class="grid">
        <thead><tr>{columns.map((x) => {
          const on = sort?.field === x.field.name ? (sort.desc ? 'descending' : 'ascending') : undefined
          return (
            <th scope="col" class={align(x)} aria-sort={on}>
              {onSort && x.field.sort ? <button type="button" class="sort" data-sort={x.field.name} title={t('list.sort')} onClick={() => onSort(x.field.name)}>{label(x.field.label)}<i aria-hidden="true">{on ? (sort!.desc ? '↓' : '↑') : '↕'}</i></button> : label(x.field.label)}
            </th>
          )
        })}</tr></thead>
        <tbody>{rows.map((r) => (
          <tr>{columns.map((x, i) => (i === 0 && first ? <th scope="row" class="nb">{first(r)}</th> : <td class={align(x)}><Value x={x} row={r} to={to?.(x)} /></td>))}</tr>
        ))}</tbody>
      </table>
    </div>
  )
}
