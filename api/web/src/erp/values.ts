// Values as they are keyed in (texts) and as they are sent.
import { clock } from '../api'
import { today } from '../i18n'
import type { Field, Row } from '../types'

/** A line on the screen; $ tells lines apart while others come and go. */
export interface Line { $: number; values: Row }
/** What the ERP says of a decision on a staging: nothing can be saved under it any more. */
export const ENDED = ['not_pending', 'expired', 'already_decided', 'not_found']

export const text = (v: unknown): string => (v === null || v === undefined ? '' : String(v).trim())
export const writable = (f: Field): boolean => !f.read_only
let serial = 0
export const rowsOf = (v: unknown): Row[] => (Array.isArray(v) ? v : [])
export const line = (r: Row): Line => ({ $: ++serial, values: { ...r } })
/** What a new record begins with. */
export const begin = (f: Field): string => (f.default === 'today' ? today(clock.now()) : f.default ?? (f.control === 'switch' ? 'false' : ''))
/** The cells that are sent, of a line. */
export const cells = (f: Field, r: Row): Row => Object.fromEntries((f.lines ?? []).filter((c) => writable(c) && text(r[c.name])).map((c) => [c.name, number(c, text(r[c.name]))]))
/** Grouping and wide digits are how people write numbers, not how the ERP reads them. */
export function number(f: Field, s: string): string {
  if (f.type !== 'decimal' && f.type !== 'money' && f.type !== 'integer') return s
  return s.normalize('NFKC').replace(/(?<=\d),(?=\d{3}(\D|$))|\s/g, '').replace(/^−/, '-')
}
