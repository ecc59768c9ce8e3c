// What is left of source documents, and how much of it is taken.
import type { Form, Row } from '../types'
import { rowsOf, text } from './values'

/** One line that can be drawn, or with no 0 the open amount of the whole document: take is what the person keys in, on whether it is taken at all. */
export interface Part { source: string; no: number; row: Row; left: string; take: string; on: boolean }
export interface Source { key: string; record: Row; parts: Part[] }
export interface Generate { source_form: string; sources: string[]; lines?: { source: string; line_no?: number; quantity?: string }[]; mode?: string }

const DECIMAL = /^-?\d+(\.\d+)?$/
/** a − b of decimal texts, without floats; a where b is none. */
export function minus(a: string, b: string): string {
  if (!DECIMAL.test(a) || !DECIMAL.test(b)) return a
  const places = Math.max(...[a, b].map((x) => (x.split('.')[1] ?? '').length))
  const whole = (x: string): bigint => { const [w = '', p = ''] = x.replace('-', '').split('.'); const n = BigInt(w + p.padEnd(places, '0')); return x.startsWith('-') ? -n : n }
  const n = whole(a) - whole(b)
  const digits = (n < 0n ? -n : n).toString().padStart(places + 1, '0')
  const out = places ? digits.slice(0, -places) + '.' + digits.slice(-places) : digits
  return (n < 0n ? '-' : '') + out.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
}

/** What is left of a line, as the ERP tells it or as quantity and drawn tell. */
export function left(r: Row): string {
  for (const k of ['remaining', 'open_quantity', 'open_amount']) if (r[k] !== undefined && r[k] !== null) return minus(text(r[k]), '0')
  return r.quantity === undefined ? '' : minus(text(r.quantity), text(r.drawn) || '0')
}

/** The lines of a source of which something is left, all taken to begin with. */
export function parts(form: Form, key: string, record: Row): Part[] {
  const lines = form.fields.find((f) => f.type === 'lines')
  if (!drawn(form)) {
    const rest = left({ open_amount: record.open_amount })
    return rest && !NOTHING.test(rest) ? [{ source: key, no: 0, row: {}, left: rest, take: rest, on: true }] : []
  }
  if (!lines) return []
  return rowsOf(record[lines.name]).map((row, i) => {
    const rest = left(row)
    return { source: key, no: Number(row.line_no ?? i + 1), row, left: rest, take: rest, on: true }
  }).filter((p) => p.left !== '' && !NOTHING.test(p.left))
}
const NOTHING = /^-?0*(\.0+)?$/
/** Documents are drawn line by line, or settled by amounts. */
export const drawn = (form: Form): boolean => !!form.fields.find((f) => f.type === 'lines')?.lines?.some((c) => c.name === 'remaining' || c.name === 'drawn')

/** The payload: lines only when not all of everything is taken, or when they were approved line by line. */
export function generate(form: string, sources: Source[], mode: string, approved?: Row): Generate {
  const all = sources.flatMap((s) => s.parts)
  const whole = !approved?.lines && all.every((p) => p.on && p.take.trim() === p.left)
  return {
    source_form: form, sources: sources.map((s) => s.key),
    ...(whole ? {} : { lines: taken(sources).map((p) => ({ source: p.source, ...(p.no ? { line_no: p.no } : {}), ...(p.take.trim() === p.left && !approved?.lines ? {} : { quantity: p.take.trim() }) })) }),
    ...(sources.length > 1 || approved?.mode ? { mode } : {}),
  }
}
export const taken = (sources: Source[]): Part[] => sources.flatMap((s) => s.parts).filter((p) => p.on)
