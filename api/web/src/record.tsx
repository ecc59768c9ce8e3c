// A record of the ERP, to be read: its fields, its lines, the way back.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, type Problem } from './api'
import { label, t } from './i18n'
import { Failure, Icon } from './parts'
import { called, forms, isFigure, key, listHref, recordHref, type Shown, shown, value } from './records'
import { RecordList } from './recordlist'
import { session } from './session'
import { useStore } from './store'
import type { Field, Form, Row } from './types'

/** Where the way back leads: the conversation that was open last. */
export const visited = { get: (): string => sessionStorage.getItem('erpilot.visited') ?? '', set: (id: string): void => sessionStorage.setItem('erpilot.visited', id) }

export function RecordPage({ form, bill }: { form: string; bill: string }) {
  useStore(session)
  const [schema, setSchema] = useState<Form | null>(null)
  const [record, setRecord] = useState<Row | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const asked = useRef(0)
  const load = async () => {
    const mine = ++asked.current
    setProblem(null)
    try {
      const f = await forms.schema(form)
      const r = bill ? await forms.record(form, bill) : null
      if (mine === asked.current) { setSchema(f); setRecord(r) }
    } catch (e) { if (mine === asked.current) setProblem(asProblem(e)) }
  }
  useEffect(() => { if (!session.expired) void load(); return () => { asked.current++ } }, [session.expired])
  const ready = schema && (record || !bill)
  useEffect(() => { if (ready) heading.current?.focus({ preventScroll: true }) }, [!!ready])
  const back = visited.get()
  const title = bill || (schema ? label(schema.label) : '')
  return (
    <main class="chat">
      <div class="transcript" id="content" tabIndex={0} role="region" aria-label={t('record')}>
        <div class={`column ${bill ? '' : 'wide'}`}>
          <nav class="crumbs" aria-label={t('record.ways')}>
            <a href={back ? '/c/' + back : '/'}><Icon name="back" />{t(back ? 'record.back' : 'new')}</a>
            {bill && schema && <a href={listHref(form)}>{t('record.all', { form: label(schema.label) })}</a>}
          </nav>
          {!ready && !problem && <p class="loading"><i class="spin" aria-hidden="true" />{t('loading')}</p>}
          {problem && <Trouble problem={problem} bill={bill} again={() => void load()} />}
          {ready && !problem && (
            <article class="sheet" aria-labelledby="record-title">
              <header>
                <div>
                  {bill && <p class="kicker">{label(schema.label)}</p>}
                  <h2 id="record-title" class="page-title" ref={heading} tabIndex={-1}>{title}</h2>
                  {record && <p class="object">{called(schema, record)}</p>}
                </div>
                <span class="pill">{t('record.readonly')}</span>
              </header>
              {record ? <Record form={schema} record={record} /> : <RecordList form={schema} />}
            </article>
          )}
        </div>
      </div>
    </main>
  )
}

function Trouble({ problem, bill, again }: { problem: Problem; bill: string; again: () => void }) {
  if (problem.status === 403 || problem.status === 404) {
    return <div class="empty" role="alert"><h2>{t(problem.status === 404 && bill ? 'record.missing' : 'record.denied', { bill })}</h2><p>{t(problem.status === 404 && bill ? 'record.missing.what' : 'record.denied.what')}</p></div>
  }
  return <Failure problem={problem}><button type="button" class="btn" onClick={again}>{t('again')}</button></Failure>
}

function Record({ form, record }: { form: Form; record: Row }) {
  const all = shown(form.fields.filter((f) => f.type !== 'lines' && f.name !== form.key), true)
  // What the ERP fills in and has not filled in is no news.
  const rows = all.filter((x) => !x.field.read_only || value(x, record))
  return (
    <>
      <dl class="fields">
        {rows.map((x) => <div><dt>{label(x.field.label)}</dt><dd class={isFigure(x.field) ? 'num' : undefined}><Value x={x} row={record} /></dd></div>)}
      </dl>
      {form.fields.filter((f) => f.type === 'lines').map((f) => <Grid field={f} rows={lines(record[f.name])} />)}
    </>
  )
}
const lines = (v: unknown): Row[] => (Array.isArray(v) ? v : [])

/** A value; a link leads to the record that it names. */
export function Value({ x, row }: { x: Shown; row: Row }): ComponentChildren {
  const text = value(x, row)
  const k = key(x, row)
  if (x.field.type !== 'link' || !x.field.link_form || !k) return text || <span class="quiet">—</span>
  return <><a href={recordHref(x.field.link_form, k)}>{text || k}</a>{text && text !== k && <small>{k}</small>}</>
}

function Grid({ field, rows }: { field: Field; rows: Row[] }) {
  const columns = shown(field.lines ?? [])
  return (
    <section>
      <h3>{label(field.label)}</h3>
      {rows.length === 0 ? <p class="quiet">{t('record.empty')}</p> : <Table caption={label(field.label)} columns={columns} rows={rows} />}
    </section>
  )
}

/** Rows under their labels; figures stand at the right. */
export function Table({ caption, columns, rows, first }: { caption: string; columns: Shown[]; rows: Row[]; first?: (row: Row) => ComponentChildren }) {
  const align = (x: Shown) => (isFigure(x.field) ? 'num' : x.field.type === 'date' || x.field.type === 'datetime' || x.field.type === 'option' ? 'nb' : undefined)
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
      <table class="grid">
        <thead><tr>{columns.map((x) => <th scope="col" class={align(x)}>{label(x.field.label)}</th>)}</tr></thead>
        <tbody>{rows.map((r) => (
          <tr>{columns.map((x, i) => (i === 0 && first ? <th scope="row" class="nb">{first(r)}</th> : <td class={align(x)}><Value x={x} row={r} /></td>))}</tr>
        ))}</tbody>
      </table>
    </div>
  )
}
