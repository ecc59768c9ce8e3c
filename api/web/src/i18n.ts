// Two languages from one generated dictionary. Texts are whole sentences with
// named places; nothing is put together from pieces.
import { faults, page } from './dictionary.gen'
import type { erp } from './erp/dictionary.gen'
import type { Label, Params } from './types'

export type Lang = 'zh' | 'en'
export type Key = keyof typeof page | keyof typeof erp

const texts: Record<string, readonly [string, string]> = { ...page }
/** Adds the texts of a part of the page that is loaded later. */
export const speaks = (more: Record<string, readonly [string, string]>): void => { Object.assign(texts, more) }

let lang: Lang = 'zh'
let zone: string | undefined

export const language = (): Lang => lang
export function setLanguage(next: Lang): void {
  lang = next
  document.documentElement.lang = next === 'zh' ? 'zh-CN' : 'en'
}
export function setZone(name?: string): void {
  zone = undefined
  try { if (name && new Intl.DateTimeFormat('en', { timeZone: name })) zone = name } catch { /* an unknown zone: the browser's own */ }
}

function fill(text: string, places?: Record<string, string | number | undefined>): string {
  return text.replace(/\{(\w+)\}/g, (_, name) => String(places?.[name] ?? ''))
}
export function t(key: Key, places?: Record<string, string | number>): string {
  return fill(texts[key]![lang === 'zh' ? 0 : 1], places)
}
/** A key made from a wire value ("status.executed"); the value itself when unknown. */
export function word(group: string, value: string): string {
  const key = `${group}.${value}`
  return key in texts ? t(key as Key) : value
}
export const label = (l?: Label): string => (l ? (lang === 'en' && l.en) || l.zh || l.en : '')

/** The sentence of a fault code: what happened and what to do. */
export function faultText(code: string, params: Params = {}): string {
  const p: Params = { ...params }
  for (const name of ['at', 'deadline']) if (p[name]) p[name] = when(p[name])
  if (p.status) p.status = word('status', p.status)
  if (p.channel) p.channel = word('channel', p.channel)
  if (code === 'state_changed') for (const name of ['old', 'new']) if (p[name]) p[name] = word('state', p[name])
  return fill(((faults as Record<string, readonly [string, string]>)[code] ?? faults.internal)[lang === 'zh' ? 0 : 1], p)
}

const locale = () => (lang === 'zh' ? 'zh-CN' : 'en-GB')
/** Date and time in the person's zone; the year only when it is another one. */
export function when(iso?: string): string {
  const d = new Date(iso ?? '')
  if (isNaN(+d)) return iso ?? ''
  const year = d.getFullYear() === new Date().getFullYear() ? undefined : 'numeric'
  return new Intl.DateTimeFormat(locale(), { year, month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', timeZone: zone }).format(d)
}

/** A date without a time, "2006-01-02": it has no zone. */
export function day(s: string): string {
  const d = new Date(s + 'T00:00:00Z')
  if (!/^\d{4}-\d\d-\d\d$/.test(s) || isNaN(+d)) return s
  return new Intl.DateTimeFormat(locale(), { year: 'numeric', month: lang === 'zh' ? 'long' : 'short', day: 'numeric', timeZone: 'UTC' }).format(d)
}

const NUMBER = /^-?\d+(\.\d+)?$/
/** Groups the digits of a decimal string; all its digits stay. */
export function decimal(s: string): string {
  if (!NUMBER.test(s)) return s
  const [whole = '', part] = s.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ',')
  return part === undefined ? grouped : `${grouped}.${part}`
}
/** An amount with at least two places. */
export function money(s: string): string {
  if (!NUMBER.test(s)) return s
  const [whole, part = ''] = s.split('.')
  return decimal(`${whole}.${part.padEnd(2, '0')}`)
}
export const isNumber = (s: string): boolean => /^[-+−]?[¥$€]?\d[\d,]*(\.\d+)?\s?%?$/.test(s.trim())

/** What is left until a deadline, in two units. */
export function left(ms: number): string {
  const s = Math.max(0, Math.ceil(ms / 1000))
  const m = Math.floor(s / 60)
  const h = Math.floor(m / 60)
  if (h >= 48) return t('left.days', { days: Math.floor(h / 24), hours: h % 24 })
  if (h > 0) return t('left.hours', { hours: h, minutes: m % 60 })
  return t('left.minutes', { minutes: m, seconds: String(s % 60).padStart(2, '0') })
}

/** The person's date of today, "2006-01-02". */
export function today(now: number): string {
  return new Intl.DateTimeFormat('sv-SE', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(now)
}
/** A text of the server: in both languages, or as it is. */
export const said = (x?: Label | string): string => (typeof x === 'string' ? x : label(x))
