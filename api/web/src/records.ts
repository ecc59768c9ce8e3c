// Forms and records of the ERP, as GET and POST /erp/api/forms/… tell them.
import { get, post } from './api'
import { day, decimal, label, language, money, t, when } from './i18n'
import { Store } from './store'
import type { Field, Form, Page, Row } from './types'

export const at = (form: string) => '/erp/api/forms/' + encodeURIComponent(form)
export const listHref = (form: string): string => '/erp/form/' + encodeURIComponent(form)
export const recordHref = (form: string, key: string): string => `${listHref(form)}?bill=${encodeURIComponent(key)}`

/** The forms that were looked at, for one person: another login starts anew. */
class Forms extends Store {
  private known = new Map<string, Form>()
  private sought = new Set<string>()
  /** All forms that the person may read, in the ERP's order; null before they are known. */
  all: Form[] | null = null
  /** Grows with what is known, for parts that are drawn again only on a change. */
  age = 0

  get(form: string): Form | undefined { return this.known.get(form) }
  forget(): void { this.known.clear(); this.sought.clear(); this.all = null }

  async list(): Promise<Form[]> {
    if (this.all) return this.all
    const all = (await get<{ forms?: Form[] | null }>('/erp/api/forms')).forms ?? []
    for (const f of all) this.known.set(f.form, f)
    this.age++
    this.all = all
    this.changed()
    return all
  }
  async schema(form: string): Promise<Form> {
    const found = this.known.get(form) ?? (await get<Form>(at(form) + '/schema'))
    if (!this.known.has(form)) this.age++
    this.known.set(form, found)
    this.changed()
    return found
  }
  /** The form if it is known; else it is asked for once, and the watchers hear of it. */
  seek(form: string): Form | undefined {
    if (!this.known.has(form) && !this.sought.has(form)) {
      this.sought.add(form)
      void this.schema(form).catch(() => {})
    }
    return this.known.get(form)
  }
  async record(form: string, id: string): Promise<Row> {
    return (await post<Page>(at(form) + '/read', { mode: 'record', id })).record ?? {}
  }
}
export const forms = new Forms()

/** One value to be shown: a link may take its name from the field beside it. */
export interface Shown { field: Field; name?: Field; other?: Field }

/**
 * The fields worth showing, in their order: the name of a linked record goes
 * with its link, and of two languages one is shown; a hidden field is shown as
 * such a companion only. A form's own name and its
 * translation are both values that somebody keeps, so a record shows both.
 */
export function shown(fields: Field[], both = false): Shown[] {
  const by = new Map(fields.map((f) => [f.name, f]))
  const gone = new Set<string>()
  for (const f of fields) {
    if (f.type === 'link' && by.has(f.name + '_name')) gone.add(f.name + '_name').add(f.name + '_name_en')
    if (by.has(f.name + '_en') && !(both && !f.read_only)) gone.add(f.name + '_en')
  }
  return fields.filter((f) => !gone.has(f.name) && !f.hidden).map((f) => {
    const name = f.type === 'link' ? by.get(f.name + '_name') : undefined
    return { field: f, name, other: gone.has(f.name + '_en') ? by.get(f.name + '_en') : name && by.get(name.name + '_en') }
  })
}

const filled = (v: unknown): v is string | number => v !== null && v !== undefined && v !== ''

/** The text in the person's language, if it has one. */
export function words(x: Shown, row: Row): string {
  const own = x.name ? row[x.name.name] : row[x.field.name]
  const other = x.other && row[x.other.name]
  const text = language() === 'en' && filled(other) ? other : own
  return filled(text) ? String(text) : ''
}
export const key = (x: Shown, row: Row): string => (filled(row[x.field.name]) ? String(row[x.field.name]) : '')
export const isFigure = (f: Field): boolean => f.type === 'decimal' || f.type === 'money' || f.type === 'integer'

/** A value by its type; links are made by the caller. */
export function value(x: Shown, row: Row): string {
  const v = words(x, row)
  switch (x.field.type) {
    case 'money': return money(v)
    case 'decimal': case 'integer': return decimal(v)
    case 'date': return day(v)
    case 'datetime': return v && when(v)
    case 'option': { const o = x.field.options?.find((o) => o.value === v); return o ? label(o.label) : v }
    default: return v
  }
}

/** What the record is called: its key, and its name where the form has one. */
export function called(f: Form, row: Row): string {
  const name = shown(f.fields).find((x) => x.field.name === 'name') ?? shown(f.fields).find((x) => x.name)
  return name ? words(name, row) : ''
}
export const titleOf = (form: string, bill: string): string => {
  const f = forms.get(form)
  return [f ? label(f.label) : t('record'), bill].filter(Boolean).join(' ')
}
