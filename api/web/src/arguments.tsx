// The arguments of a call as a person reads them: forms, fields and options by
// the ERP's own labels.
import type { ComponentChildren } from 'preact'
import { label, t, word } from './i18n'
import { forms } from './records'
import type { CallView } from './transcript'
import type { Field, Form } from './types'

const formLabel = (id: string): string => label(forms.seek(id)?.label) || id
const actionLabel = (f: Form | undefined, action: string): string => label(f?.actions?.find((a) => a.action === action)?.label) || action
const optionLabel = (f: Field | undefined, v: unknown): string => label(f?.options?.find((o) => o.value === String(v))?.label) || String(v)

/** A few words about what the call looks at. */
export function about(c: CallView): string {
  if (c.summary) return c.summary
  try {
    const a = JSON.parse(c.arguments)
    const form = typeof a.form === 'string' ? forms.seek(a.form) : undefined
    return [a.form && formLabel(a.form), a.query, a.action && actionLabel(form, a.action), a.target, a.id].filter((x) => typeof x === 'string').join(' · ')
  } catch { return '' }
}

export function Arguments({ json }: { json: string }) {
  let value: any
  try { value = JSON.parse(json) } catch { return <p>{t('call.raw')} <code>{json}</code></p> }
  if (!value || typeof value !== 'object' || Object.keys(value).length === 0) return <p class="quiet">{t('call.noargs')}</p>
  const form = typeof value.form === 'string' ? forms.seek(value.form) : undefined
  return <Pairs of={Object.entries(value).filter(([k]) => k !== 'draft_id').map(([k, v]) => [word('arg', k), argument(k, v, form)])} />
}

function Pairs({ of }: { of: [string, ComponentChildren][] }) {
  return <dl class="tree">{of.map(([k, v]) => <div><dt>{k}</dt><dd>{v}</dd></div>)}</dl>
}

function argument(k: string, v: any, form?: Form): ComponentChildren {
  if (k === 'form') return formLabel(String(v))
  if (k === 'mode') return word('mode', String(v))
  if (k === 'action') return actionLabel(form, String(v))
  if (k === 'filters' && Array.isArray(v)) return <ul>{v.map((f) => <li>{condition(f ?? {}, form)}</li>)}</ul>
  if (k === 'sort' && Array.isArray(v)) return v.map((s) => named(form?.fields, s?.field) + (s?.desc ? ' ↓' : ' ↑')).join(', ')
  if (k === 'fields' && Array.isArray(v)) return v.map((n) => named(form?.fields, n)).join(', ')
  const action = form?.actions?.flatMap((a) => a.args ?? [])
  return tree(v, [...(form?.fields ?? []), ...(action ?? [])])
}

const named = (fields: Field[] | undefined, name: unknown): string => label(fields?.find((f) => f.name === name)?.label) || word('arg', String(name))
const SIGNS: Record<string, string> = { eq: '=', ne: '≠', lt: '<', lte: '≤', gt: '>', gte: '≥' }
function condition(f: any, form?: Form): string {
  const field = form?.fields.find((x) => x.name === f.field)
  const values = (Array.isArray(f.value) ? f.value : [f.value]).map((v: unknown) => optionLabel(field, v)).join(', ')
  return `${named(form?.fields, f.field)} ${SIGNS[f.op] ?? word('op', String(f.op))} ${values}`
}

function tree(v: unknown, fields?: Field[], field?: Field): ComponentChildren {
  if (Array.isArray(v)) return v.every((x) => typeof x !== 'object') ? v.join(', ') : <ol>{v.map((x) => <li>{tree(x, field?.lines ?? fields)}</li>)}</ol>
  if (v && typeof v === 'object') return <Pairs of={Object.entries(v).map(([k, x]) => [named(fields, k), tree(x, fields, fields?.find((f) => f.name === k))])} />
  return optionLabel(field, v ?? '')
}
