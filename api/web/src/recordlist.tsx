// The records of a form, page by page.
import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, type Problem } from './api'
import { decimal, label, language, t } from './i18n'
import { Failure } from './parts'
import { forms, recordHref, shown, value } from './records'
import { Table } from './record'
import { session } from './session'
import { announcer } from './store'
import type { Form, Page } from './types'

export function RecordList({ form }: { form: Form }) {
  const searchable = shown(form.fields).map((x) => (language() === 'en' && x.other?.filter ? { ...x.other, label: x.field.label } : x.field)).filter((f) => f.type === 'text' && f.filter)
  const named = shown(form.fields).flatMap((x) => (x.name ? [language() === 'en' && x.other?.filter ? x.other : x.name] : [])).filter((f) => f.filter)
  const choices = [...searchable, ...named]
  const [field, setField] = useState('')
  const [text, setText] = useState('')
  const [search, setSearch] = useState({ field: '', text: '' })
  // The cursors of the pages so far; the last one is on the screen.
  const [cursors, setCursors] = useState([''])
  const [page, setPage] = useState<Page | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const asked = useRef(0)
  const best = choices.find((f) => /name/.test(f.name)) ?? choices[0]
  const chosen = choices.find((f) => f.name === field) ?? best

  const load = async () => {
    const mine = ++asked.current
    setProblem(null)
    try {
      const found = await forms.list(form, search, cursors.at(-1)!)
      if (mine !== asked.current) return
      setPage(found)
      announcer.say(t('list.total', { total: decimal(String(found.total)) }))
    } catch (e) { if (mine === asked.current) setProblem(asProblem(e)) }
  }
  useEffect(() => { if (!session.expired) void load(); return () => { asked.current++ } }, [search, cursors, session.expired])
  const find = (e: Event) => {
    e.preventDefault()
    setCursors([''])
    setSearch({ field: chosen?.name ?? '', text: text.trim() })
  }
  const rows = page?.rows ?? []
  const listed = form.listed ?? Object.keys(rows[0] ?? {})
  const columns = shown(form.fields.filter((f) => f.type !== 'lines' && (listed.includes(f.name) || (rows[0] && f.name.endsWith('_en') && f.name in rows[0]))))
  return (
    <>
      {chosen && (
        <form class="row search" role="search" onSubmit={find}>
          <select aria-label={t('list.in')} value={chosen.name} onChange={(e) => setField(e.currentTarget.value)}>{choices.map((f) => <option value={f.name}>{label(f.label)}</option>)}</select>
          <input type="search" aria-label={t('list.search')} placeholder={t('list.search')} maxLength={100} value={text} onInput={(e) => setText(e.currentTarget.value)} />
          <button type="submit" class="btn">{t('list.find')}</button>
        </form>
      )}
      <Failure problem={problem}><button type="button" class="btn" onClick={() => void load()}>{t('again')}</button></Failure>
      {!page && !problem && <p class="loading"><i class="spin" aria-hidden="true" />{t('loading')}</p>}
      {page && rows.length === 0 && <p class="empty">{t('search.none')}</p>}
      {rows.length > 0 && (
        <Table caption={label(form.label)} columns={columns} rows={rows} first={(r) => <a href={recordHref(form.form, String(r[form.key] ?? ''))}>{value(columns[0]!, r) || String(r[form.key] ?? '')}</a>} />
      )}
      {page && (
        <div class="row between">
          <span class="quiet">{t('list.total', { total: decimal(String(page.total)) })}</span>
          {(cursors.length > 1 || page.next_cursor) && (
            <span class="row">
              <button type="button" class="btn" disabled={cursors.length < 2} onClick={() => setCursors(cursors.slice(0, -1))}>{t('list.before')}</button>
              <span class="quiet">{t('list.page', { page: cursors.length, pages: Math.max(1, Math.ceil(page.total / 20)) })}</span>
              <button type="button" class="btn" disabled={!page.next_cursor} onClick={() => setCursors([...cursors, page.next_cursor!])}>{t('list.next')}</button>
            </span>
          )}
        </div>
      )}
    </>
  )
}
