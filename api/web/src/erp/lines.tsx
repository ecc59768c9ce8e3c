// The lines of a document, keyed in like a grid: Enter goes to the line below
// and makes one at the end, arrow keys go up and down; what the ERP works out
// (names, prices, amounts) stands in the same line.
import { useEffect, useRef } from 'preact/hooks'
import { label, t } from '../i18n'
import { Icon, IconButton } from '../parts'
import { isFigure, type Shown, shown, value } from '../records'
import type { Field, Row } from '../types'
import { Control, kind } from './control'
import { type Draft } from './draft'
import { type Line, rowsOf, writable } from './values'

/** Columns that are worked out stand only where they can be shown. */
export function columnsOf(f: Field, worked: Row[]): Shown[] {
  return shown(f.lines ?? []).filter((c) => c.field.name !== 'line_no').filter((c) => writable(c.field) || USUAL.includes(c.field.name) || worked.some((r) => value(c, r)))
}
/** Columns that every priced document works out: they have their place from the start. */
const USUAL = ['unit', 'base_price', 'discount', 'unit_price', 'amount']

/** What the ERP makes of the line: its own values, or what the preview tells of them. */
function worked(d: Draft, f: Field, l: Line): Row {
  const i = d.kept(f).indexOf(l)
  if (i < 0) return {}
  const payload = rowsOf(d.preview?.payload?.[f.name])[i]
  const of = d.preview?.lines?.[i] as unknown as Row | undefined
  return d.preview ? { ...payload, ...of } : d.differs(f) ? {} : l.values
}

export function LineGrid({ draft: d, field: f, marked }: { draft: Draft; field: Field; marked?: boolean }) {
  const lines = d.lines[f.name] ?? []
  const told = lines.map((l) => worked(d, f, l))
  const columns = columnsOf(f, told)
  const table = useRef<HTMLTableElement>(null)
  const wanted = useRef<{ $: number; column: string } | null>(null)
  const inputs = columns.filter((c) => writable(c.field))
  useEffect(() => {
    const w = wanted.current
    // A line that was just made may not be drawn yet.
    const cell = w && table.current?.querySelector<HTMLElement>(`[data-line="${w.$}"] [data-column="${w.column}"] :is(input,select,textarea)`)
    if (!cell) return
    wanted.current = null
    cell.focus()
  })
  const focus = ($: number, column: string) => { wanted.current = { $, column }; d.now() }
  const add = () => focus(d.add(f.name), inputs[0]?.field.name ?? '')
  const keys = (e: KeyboardEvent, i: number, column: string) => {
    const step = e.key === 'Enter' || e.key === 'ArrowDown' ? 1 : e.key === 'ArrowUp' ? -1 : 0
    const c = columns.find((x) => x.field.name === column)!.field
    if (!step || e.shiftKey || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.keyCode === 229) return
    // Arrow keys belong to lists and dates.
    if (e.key !== 'Enter' && ['select', 'date', 'lookup', 'textarea'].includes(kind(c))) return
    e.preventDefault()
    const to = lines[i + step]
    if (to) focus(to.$, column)
    else if (e.key === 'Enter') add()
  }
  const whole = d.problems.get(f.name)
  return (
    <section class="keyed" data-field={f.name} aria-labelledby={'g-' + f.name}>
      <h3 id={'g-' + f.name}>{label(f.label)}{f.required && <span class="req" aria-hidden="true"> *</span>}{marked && <span class="tag mark">{t('staging.filled')}</span>}</h3>
      {whole && <p class="bad-field" tabIndex={-1} data-bad>{whole}</p>}
      {lines.length > 0 && (
        <table class="grid lines edit" ref={table}>
          <thead><tr>{columns.map((c) => <th scope="col" class={isFigure(c.field) ? 'num' : undefined}>{label(c.field.label)}{c.field.required && <span class="req" aria-hidden="true"> *</span>}</th>)}<th scope="col"><span class="sr">{t('lines.tools')}</span></th></tr></thead>
          <tbody>
            {lines.map((l, i) => {
              const info = told[i]!
              const bad = d.problems.get(`${f.name}.${l.$}`)
              return (
                <tr key={l.$} data-line={l.$} class={bad ? 'bad-line' : undefined}>
                  {columns.map((c) => <Cell key={c.field.name} draft={d} field={f} line={l} n={i + 1} c={c} info={info} onKeyDown={(e) => keys(e, i, c.field.name)} />)}
                  <td class="tools">
                    <IconButton icon="bin" text={t('lines.remove', { n: i + 1 })} onClick={() => { d.remove(f.name, l.$); const next = lines[i + 1] ?? lines[i - 1]; if (next) focus(next.$, inputs[0]?.field.name ?? '') }} />
                    {bad && <p class="bad-field">{bad}</p>}
                  </td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      <p class="row"><button type="button" class="btn" data-add={f.name} onClick={add}><Icon name="plus" />{t('lines.add')}</button><span class="quiet hint">{t('lines.keys')}</span></p>
    </section>
  )
}

function Cell({ draft: d, field: f, line: l, n, c, info, onKeyDown }: { draft: Draft; field: Field; line: Line; n: number; c: Shown; info: Row; onKeyDown: (e: KeyboardEvent) => void }) {
  const name = c.field.name
  const problem = d.problems.get(`${f.name}.${l.$}.${name}`)
  const id = `c-${l.$}-${name}`
  if (!writable(c.field)) {
    return <td class={`worked ${isFigure(c.field) ? 'num' : ''}`} data-column={name} data-label={label(c.field.label)}>{value(c, { ...info }) || '—'}</td>
  }
  return (
    <td data-column={name} data-label={label(c.field.label)}>
      <Control field={c.field} value={String(l.values[name] ?? '')} onValue={(v) => d.setCell(f.name, l.$, name, v)} name={t('lines.cell', { label: label(c.field.label), n })} described={problem ? id : undefined} invalid={!!problem} onKeyDown={onKeyDown} hint={value(c, info)} />
      {problem && <p id={id} class="bad-field">{problem}</p>}
    </td>
  )
}
