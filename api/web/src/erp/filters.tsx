// Conditions of a list: fields that the ERP lets be filtered, operators that fit
// their type, and a control for the value.
import { useState } from 'preact/hooks'
import { label, language, t, word } from '../i18n'
import { Icon, IconButton } from '../parts'
import { isFigure, shown } from '../records'
import type { Field, Filter, Form } from '../types'
import { Lookup } from './lookup'

/** As it is keyed in: one value, or two for a range, or some of the options. */
export interface Condition { field: string; op: string; value: string[] }

const OPS: Record<string, string[]> = {
  text: ['contains', 'prefix', 'eq', 'ne'], option: ['eq', 'ne', 'in'], link: ['eq', 'ne'], datetime: ['gte', 'lt'], date: ['eq', 'gte', 'lte', 'between'],
}
const FIGURE = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'between']
export const operators = (f: Field): string[] => OPS[f.type] ?? (isFigure(f) ? FIGURE : [])

/** What can be asked, in the form's order; of two languages the person's own. */
export function choices(form: Form): Field[] {
  const own = language() === 'en'
  return shown(form.fields).flatMap((x) => {
    const text = x.name ?? x.field
    const words = own && x.other?.filter ? { ...x.other, label: text.label, hidden: false } : text
    return x.name ? [x.field, words] : [words.type === 'text' ? words : x.field]
  }).filter((f) => f.filter && !f.hidden && operators(f).length > 0)
}

const usual = (list: Field[]): Field | undefined => list.find((f) => f.type === 'text' && /name/.test(f.name)) ?? list.find((f) => f.type === 'text') ?? list[0]
const blank = (f?: Field): Condition => ({ field: f?.name ?? '', op: f ? operators(f)[0]! : '', value: [] })

export const toConditions = (filters: Filter[]): Condition[] => filters.map((f) => ({ field: f.field, op: f.op, value: Array.isArray(f.value) ? f.value : [f.value] }))

/** Conditions without a value say nothing; half a range is open at the other end. */
export function toFilters(all: Condition[]): Filter[] {
  return all.flatMap((c): Filter[] => {
    const [a = '', b = ''] = c.value.map((v) => v.trim())
    if (c.op === 'in') return c.value.length ? [{ field: c.field, op: 'in', value: c.value }] : []
    if (c.op !== 'between') return a ? [{ field: c.field, op: c.op, value: a }] : []
    if (a && b) return [{ field: c.field, op: 'between', value: [a, b] }]
    return a ? [{ field: c.field, op: 'gte', value: a }] : b ? [{ field: c.field, op: 'lte', value: b }] : []
  })
}

export function Filters({ form, filters, onFind }: { form: Form; filters: Filter[]; onFind: (f: Filter[]) => void }) {
  // What an address asks for may be of the other language.
  const fields = [...choices(form)]
  for (const x of filters) { const f = form.fields.find((y) => y.name === x.field && y.filter); if (f && !fields.includes(f) && !fields.some((y) => y.name === f.name) && operators(f).length) fields.push(f) }
  const start = () => (filters.length ? toConditions(filters) : [blank(usual(fields))])
  const [rows, setRows] = useState(start)
  if (fields.length === 0) return null
  const put = (i: number, c: Condition) => setRows(rows.map((x, n) => (n === i ? c : x)))
  const find = (e: Event) => { e.preventDefault(); onFind(toFilters(rows)) }
  return (
    <form class="search" role="search" onSubmit={find}>
      {rows.map((c, i) => <One key={i} fields={fields} c={c} put={(x) => put(i, x)} onRemove={rows.length > 1 ? () => setRows(rows.filter((_, n) => n !== i)) : undefined} />)}
      <div class="row">
        <button type="submit" class="btn">{t('list.find')}</button>
        {rows.length < 8 && <button type="button" class="btn" onClick={() => setRows([...rows, blank(fields.find((f) => !rows.some((r) => r.field === f.name)))])}><Icon name="plus" />{t('list.more')}</button>}
        {filters.length > 0 && <button type="button" class="btn" onClick={() => { setRows([blank(usual(fields))]); onFind([]) }}>{t('list.reset')}</button>}
      </div>
    </form>
  )
}

function One({ fields, c, put, onRemove }: { fields: Field[]; c: Condition; put: (c: Condition) => void; onRemove?: () => void }) {
  const f = fields.find((x) => x.name === c.field) ?? fields[0]!
  return (
    <div class="row condition">
      <select aria-label={t('list.in')} value={f.name} onChange={(e) => put(blank(fields.find((x) => x.name === e.currentTarget.value)))}>
        {fields.map((x) => <option value={x.name}>{label(x.label)}</option>)}
      </select>
      <select class="op" aria-label={t('list.op')} value={c.op} onChange={(e) => put({ ...c, op: e.currentTarget.value, value: e.currentTarget.value === 'in' ? [] : c.value.slice(0, 1) })}>
        {operators(f).map((o) => <option value={o}>{word('op', o)}</option>)}
      </select>
      <Values f={f} c={c} put={put} />
      {onRemove && <IconButton icon="close" text={t('list.less')} onClick={onRemove} />}
    </div>
  )
}

function Values({ f, c, put }: { f: Field; c: Condition; put: (c: Condition) => void }) {
  const set = (i: number, v: string) => { const value = [c.value[0] ?? '', c.value[1] ?? ''].slice(0, c.op === 'between' ? 2 : 1); value[i] = v; put({ ...c, value }) }
  if (f.type === 'option' && c.op === 'in') {
    return <span class="row" role="group" aria-label={label(f.label)}>{f.options?.map((o) => (
      <label class="check"><input type="checkbox" checked={c.value.includes(o.value)} onChange={(e) => put({ ...c, value: e.currentTarget.checked ? [...c.value, o.value] : c.value.filter((v) => v !== o.value) })} /><span>{label(o.label)}</span></label>
    ))}</span>
  }
  if (f.type === 'option') {
    return <select class="what" aria-label={label(f.label)} value={c.value[0] ?? ''} onChange={(e) => set(0, e.currentTarget.value)}><option value="">{t('list.any')}</option>{f.options?.map((o) => <option value={o.value}>{label(o.label)}</option>)}</select>
  }
  if (f.type === 'link' && f.link_form) return <Lookup form={f.link_form} value={c.value[0] ?? ''} onPick={(v) => set(0, v)} aria-label={label(f.label)} />
  const kind = f.type === 'date' || f.type === 'datetime' ? 'date' : f.type === 'text' ? 'search' : 'text'
  const input = (i: number, name: string) => (
    <input type={kind as 'search'} class="what" inputMode={isFigure(f) ? 'decimal' : undefined} maxLength={100} aria-label={name} placeholder={kind === 'search' ? name : undefined} value={c.value[i] ?? ''} onInput={(e) => set(i, e.currentTarget.value)} />
  )
  return c.op === 'between' ? <>{input(0, t('list.from'))}{input(1, t('list.to'))}</> : input(0, c.op === 'contains' ? t('list.search') : label(f.label))
}
