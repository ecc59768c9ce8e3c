// The records of a form, page by page; a report is such a list too. Search and
// order stand in the address, so that the way back finds them again.
import { useEffect, useState } from 'preact/hooks'
import { asProblem, type Problem } from '../api'
import { decimal, label, language, t } from '../i18n'
import { Failure, Icon } from '../parts'
import { listHref, recordHref, shown, value } from '../records'
import { go } from '../route'
import { announcer } from '../store'
import type { Filter, Form, Sort } from '../types'
import { Filters } from './filters'
import { useLoad } from './load'
import { Crumbs, Loading, Sheet, Trouble } from './parts'
import { Table } from './table'
import { erp, type Query } from './wire'

const SIZE = 20
/** The cursors of the pages so far, by address; the last one is on the screen. */
const stacks = new Map<string, string[]>()

/** Filters and order of an address; what is broken is left out. */
export function asked(search: string): { filters: Filter[]; sort?: Sort } {
  const q = new URLSearchParams(search)
  let filters: Filter[] = []
  try { const x = JSON.parse(q.get('where') ?? '[]'); if (Array.isArray(x)) filters = x.filter((f) => f && typeof f.field === 'string' && typeof f.op === 'string') } catch { /* none */ }
  const s = q.get('sort')
  return { filters, sort: s ? { field: s.replace(/^-/, ''), desc: s.startsWith('-') } : undefined }
}
function address(form: string, filters: Filter[], sort?: Sort): string {
  const q = new URLSearchParams()
  if (filters.length) q.set('where', JSON.stringify(filters))
  if (sort) q.set('sort', (sort.desc ? '-' : '') + sort.field)
  return listHref(form) + (q.size ? '?' + q : '')
}

/** The newest first, where a form has days and a report moments; ties by the key, the same way round. */
function order(f: Form, sort?: Sort): Sort[] | undefined {
  const date = f.fields.find((x) => x.sort && (x.type === 'date' || x.type === 'datetime'))
  const by = sort ?? (date && (f.kind !== 'report' || date.type === 'datetime') ? { field: date.name, desc: true } : undefined)
  return by && [by, ...(by.field !== f.key && f.kind !== 'report' ? [{ field: f.key, desc: by.desc }] : [])]
}

/** The listed fields, and what their cells need besides. */
function columns(f: Form): { names: string[]; columns: ReturnType<typeof shown> } {
  const plain = f.fields.filter((x) => x.type !== 'lines' && !x.hidden)
  const listed = plain.some((x) => x.listed) ? plain.filter((x) => x.listed) : plain.slice(0, 8)
  const has = (n: string) => listed.some((x) => x.name === n)
  const companions = f.fields.filter((x) => !has(x.name) && (x.name === f.key || has(x.name.replace(/_(en|form)$/, '')) || has(x.name.replace(/_name(_en)?$/, ''))))
  const all = [...listed, ...companions]
  const drawn = shown(f.fields.filter((x) => all.includes(x))).filter((x) => has(x.field.name) || (x.field.name === f.key && f.kind !== 'report'))
  return { names: all.map((x) => x.name), columns: drawn }
}

export function ListPage({ form, search }: { form: Form; search: string }) {
  const { filters, sort } = asked(search)
  const place = form.form + search
  const [, bump] = useState(0)
  const cursors = stacks.get(place) ?? ['']
  const move = (to: string[]) => { stacks.set(place, to); bump((n) => n + 1) }
  const { names, columns: cols } = columns(form)
  const query = (): Query => ({ mode: 'list', filters: filters.length ? filters : undefined, sort: order(form, sort), fields: names, cursor: cursors.at(-1) || undefined, limit: SIZE })
  const { data: page, problem, again } = useLoad(() => erp.page(form.form, query()), [place, cursors.length])
  useEffect(() => { if (page) announcer.say(t('list.total', { total: decimal(String(page.total)) })) }, [page])
  // A cursor may be too old for the server: then from the start.
  useEffect(() => { if (problem?.status === 400 && cursors.length > 1) move(['']) }, [problem])

  const find = (f: Filter[]) => go(address(form.form, f, sort), true)
  const turn = (field: string) => {
    const next = sort?.field !== field ? { field } : sort.desc ? undefined : { field, desc: true }
    go(address(form.form, filters, next), true)
  }
  const rows = page?.rows ?? []
  const report = form.kind === 'report'
  const making = !report && form.actions?.some((a) => a.action === 'create')
  const first = report ? undefined : (r: (typeof rows)[number]) => <a href={recordHref(form.form, String(r[form.key] ?? ''))}>{value(cols[0]!, r) || String(r[form.key] ?? '')}</a>
  return (
    <>
      <Crumbs />
      <Sheet kicker={report ? t('erp.report') : undefined} title={label(form.label)} object={label(form.help)} aside={
        <span class="row">
          {making && <a class="btn primary" href={listHref(form.form) + '?new=1'}><Icon name="plus" />{t('list.create')}</a>}
          <Export form={form} query={query} />
        </span>}>
        <Filters key={form.form + language()} form={form} filters={filters} onFind={find} />
        {problem && <Trouble problem={problem} again={() => void again()} />}
        {!page && !problem && <Loading />}
        {page && rows.length === 0 && <p class="empty">{t(filters.length ? 'search.none' : 'list.none')}</p>}
        {rows.length > 0 && <Table caption={label(form.label)} columns={cols} rows={rows} sort={sort} onSort={turn} first={first} />}
        {page && (
          <div class="row between">
            <span class="quiet">{t('list.total', { total: decimal(String(page.total)) })}</span>
            {(cursors.length > 1 || page.next_cursor) && (
              <span class="row">
                <button type="button" class="btn" disabled={cursors.length < 2} onClick={() => move(cursors.slice(0, -1))}>{t('list.before')}</button>
                <span class="quiet">{t('list.page', { page: cursors.length, pages: Math.max(1, Math.ceil(page.total / SIZE)) })}</span>
                <button type="button" class="btn" disabled={!page.next_cursor} onClick={() => move([...cursors, page.next_cursor!])}>{t('list.next')}</button>
              </span>
            )}
          </div>
        )}
      </Sheet>
    </>
  )
}

/** All rows of the question as a file, made by the server. */
function Export({ form, query }: { form: Form; query: () => Query }) {
  const [busy, setBusy] = useState(false)
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<Problem | null>(null)
  const run = async () => {
    setBusy(true)
    setProblem(null)
    setNote('')
    try {
      const { blob, cut } = await erp.csv(form.form, { ...query(), cursor: undefined, limit: undefined })
      const a = document.createElement('a')
      a.href = URL.createObjectURL(blob)
      a.download = form.form + '.csv'
      a.click()
      setTimeout(() => URL.revokeObjectURL(a.href), 10_000)
      if (cut) setNote(t('list.cut'))
      announcer.say(t(cut ? 'list.cut' : 'list.exported'))
    } catch (e) { setProblem(asProblem(e)) }
    setBusy(false)
  }
  return <>
    <button type="button" class="btn" data-export disabled={busy} onClick={() => void run()}>{busy ? <i class="spin" aria-hidden="true" /> : <Icon name="down" />}{t('list.export')}</button>
    {note && <span class="quiet">{note}</span>}
    <Failure problem={problem} />
  </>
}
