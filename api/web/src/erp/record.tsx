// A record of the ERP: its fields, its lines, what can be done with it, and what
// became of it so far.
import { useState } from 'preact/hooks'
import { label, t } from '../i18n'
import { called, forms, isFigure, shown, value } from '../records'
import { announcer } from '../store'
import type { Action, Field, Form, Row, Saved } from '../types'
import { ActionDialog, Actions } from './actions'
import { before } from './chain'
import { History } from './history'
import { useLoad } from './load'
import { remember } from './edit'
import { Crumbs, Loading, Sheet, StatusPill, Trouble } from './parts'
import { Table, Value } from './table'
import { listHref } from '../records'
import { go } from '../route'

export function RecordPage({ form, bill }: { form: Form; bill: string }) {
  const { data: record, problem, again } = useLoad(() => forms.record(form.form, bill), [bill])
  const [action, setAction] = useState<Action | null>(null)
  const [age, setAge] = useState(0)
  const done = (s: Saved) => {
    announcer.say(t('action.done', { action: label(action?.label), bill: s.bill ?? bill }))
    setAction(null)
    if (action?.action === 'delete') { go(listHref(form.form), true); return }
    setAge(age + 1)
    void again()
  }
  if (record) remember(form, record)
  return (
    <>
      <Crumbs form={form} />
      {problem && <Trouble problem={problem} bill={bill} again={() => void again()} />}
      {!record && !problem && <Loading />}
      {record && (!problem || (problem.status !== 403 && problem.status !== 404)) && (
        <Sheet kicker={label(form.label)} title={bill} object={called(form, record)} aside={<StatusPill form={form} record={record} />}>
          <Actions form={form} record={record} bill={bill} onPick={setAction} />
          <Record form={form} record={record} />
          {form.kind !== 'report' && <History form={form} bill={bill} age={age} />}
          {action && <ActionDialog key={action.action + age} form={form} action={action} bill={bill} record={record} onClose={() => setAction(null)} onDone={done} onStale={() => { setAge(age + 1); void again() }} />}
        </Sheet>
      )}
    </>
  )
}

export function Record({ form, record }: { form: Form; record: Row }) {
  const all = shown(form.fields.filter((f) => f.type !== 'lines' && f.name !== form.key && f.name !== 'version'), true)
  // What the ERP fills in and has not filled in is no news.
  const rows = all.filter((x) => !x.field.read_only || value(x, record))
  return (
    <>
      <dl class="fields">
        {rows.map((x) => <div><dt>{label(x.field.label)}</dt><dd class={isFigure(x.field) ? 'num' : undefined}><Value x={x} row={record} /></dd></div>)}
      </dl>
      {form.fields.filter((f) => f.type === 'lines' && !f.hidden).map((f) => <Lines form={form} field={f} rows={Array.isArray(record[f.name]) ? (record[f.name] as Row[]) : []} />)}
    </>
  )
}

function Lines({ form, field, rows }: { form: Form; field: Field; rows: Row[] }) {
  // A column in which no line has anything is left out.
  const columns = shown(field.lines ?? []).filter((x) => !x.field.read_only || rows.some((r) => value(x, r)))
  const source = before(form)
  return (
    <section>
      <h3>{label(field.label)}</h3>
      {rows.length === 0 ? <p class="quiet">{t('record.empty')}</p> : <Table caption={label(field.label)} columns={columns} rows={rows} to={(x) => (x.field.name === 'source' && x.field.type === 'text' ? source : undefined)} />}
    </section>
  )
}
