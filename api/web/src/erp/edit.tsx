// Keying in: a new record, or a change of one.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { label, t } from '../i18n'
import { Failure, Icon } from '../parts'
import { called, forms, listHref, recordHref, shown, value } from '../records'
import { go } from '../route'
import { announcer, useStore } from '../store'
import type { Form, Row, Saved } from '../types'
import { Conflict } from './conflict'
import { Labelled } from './control'
import { Draft, type Setup } from './draft'
import { Effects, SaveRow } from './effects'
import { LineGrid } from './lines'
import { useLoad } from './load'
import { nameKey } from './lookup'
import { Crumbs, Loading, Sheet, StatusPill, Trouble } from './parts'
import { ENDED, writable } from './values'

/** A draft that lives as long as the screen. */
export function useDraft(setup: Setup): Draft {
  const d = useMemo(() => new Draft(setup), [])
  useStore(d)
  useEffect(() => {
    if (setup.prefill || setup.extra || !setup.guarded) d.look()
    return () => d.close()
  }, [])
  return d
}

/** Somebody or the deadline was first: the staging is read again and tells. */
export function useEnd(d: Draft, onStale?: () => void): void {
  useEffect(() => { if (d.setup.staging && d.failure && ENDED.includes(d.failure.code)) onStale?.() }, [d.failure])
}

/** Documents that can be kept without being submitted. */
export function keeps(form: Form): boolean {
  const create = form.actions?.find((a) => a.action === 'create')
  if (create?.args?.some((a) => a.name === 'status')) return true
  const states = form.fields.find((f) => f.name === 'status')?.options?.map((o) => o.value) ?? []
  return states.includes('draft') && states.includes('submitted') && !!form.actions?.some((a) => a.action === 'submit')
}

/** Where a save leads: to the record that was made. */
export function arrive(form: Form, saved: Saved): void {
  const bill = saved.bill ?? ''
  announcer.say(t('edit.saved', { bill }))
  go(bill ? recordHref(form.form, bill) : listHref(form.form), true)
}

export function NewPage({ form }: { form: Form }) {
  if (!form.actions?.some((a) => a.action === 'create')) return <><Crumbs form={form} /><div class="empty" role="alert"><h2>{t('edit.denied')}</h2></div></>
  return <><Crumbs form={form} /><New form={form} /></>
}
function New({ form }: { form: Form }) {
  const d = useDraft({ form, action: 'create', fields: form.fields, guarded: true })
  return (
    <Sheet title={t('list.new', { form: label(form.label) })} object={label(form.help)}>
      <Editor draft={d} drafts={keeps(form)} back={listHref(form.form)} onSaved={(s) => arrive(form, s)} />
    </Sheet>
  )
}

export function EditPage({ form, bill }: { form: Form; bill: string }) {
  const { data, problem, again } = useLoad(() => forms.record(form.form, bill), [bill])
  return (
    <>
      <Crumbs form={form} bill={bill} />
      {data ? <Edit form={form} bill={bill} record={data} /> : problem ? <Trouble problem={problem} bill={bill} again={() => void again()} /> : <Loading />}
    </>
  )
}
function Edit({ form, bill, record }: { form: Form; bill: string; record: Row }) {
  remember(form, record)
  const d = useDraft({ form, action: 'update', fields: form.fields, target: bill, record, guarded: true })
  return (
    <Sheet kicker={t('edit.title', { form: label(form.label) })} title={bill} object={called(form, d.base)} aside={<StatusPill form={form} record={d.base} />}>
      <Editor draft={d} back={recordHref(form.form, bill)} onSaved={() => arrive(form, { bill, status: 'executed' })} />
    </Sheet>
  )
}

/** The names of linked records stand beside their keys; lookups show them. */
export function remember(form: Form, record: Row): void {
  const row = (fields: Form['fields'], r: Row) => {
    for (const x of shown(fields)) if (x.field.link_form && x.name) nameKey(x.field.link_form, String(r[x.field.name] ?? ''), value({ field: { ...x.field, type: 'text' }, name: x.name, other: x.other }, r))
  }
  row(form.fields, record)
  for (const f of form.fields) if (f.type === 'lines' && Array.isArray(record[f.name])) for (const r of record[f.name] as Row[]) row(f.lines ?? [], r)
}

interface Props { draft: Draft; drafts?: boolean; back?: string; onSaved: (s: Saved & { waits?: boolean }) => void; label?: string; children?: ComponentChildren }

/** The fields, the lines, what follows from them, and the buttons. */
export function Editor({ draft: d, drafts, back, onSaved, label: text, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const fields = d.setup.fields.filter((f) => f.type !== 'lines')
  const given = fields.filter((f) => !writable(f))
  const inputs = fields.filter((f) => writable(f) && !f.hidden)
  const grids = d.setup.fields.filter((f) => !f.hidden && f.type === 'lines' && writable(f))
  const shows = grids.length > 0 || d.lacks.length > 0 || d.updating || !!d.setup.staging || !!d.preview?.diffs?.some((x) => x.derived) || !!d.preview?.notes?.length || !!d.blind
  useEffect(() => {
    if (d.failure && !d.theirs) toTrouble(box.current)
  }, [d.failure])
  const save = async (more?: Row) => {
    const done = await d.save(more)
    if (done) onSaved(done)
  }
  const main = () => void save()
  const mark = (name: string) => (!d.prefilled.has(name) ? '' : d.setup.prefill && String(d.setup.prefill[name] ?? '') === String(d.values[name] ?? '') ? 'filled' : 'changed') as '' | 'filled' | 'changed'
  return (
    <div class="editor" ref={box} onKeyDown={(e) => { if (e.key === 'Enter' && (e.ctrlKey || e.metaKey) && !e.isComposing) { e.preventDefault(); main() } }}>
      {d.theirs && <Conflict draft={d} />}
      <Problems draft={d} />
      {inputs.length > 0 && (
        <div class="inputs">
          {inputs.map((f) => <Labelled key={f.name} field={f} value={String(d.values[f.name] ?? '')} onValue={(v) => d.set(f.name, v)} problem={d.problems.get(f.name)} mark={mark(f.name)} />)}
        </div>
      )}
      {d.updating && <Given draft={d} fields={given} />}
      {grids.map((f) => <LineGrid key={f.name} draft={d} field={f} marked={d.prefilled.has(f.name)} />)}
      {children}
      <SaveRow draft={d}>
        {back && <a class="btn" href={back}>{t('edit.cancel')}</a>}
        {drafts && <button type="button" class="btn" data-save="draft" disabled={d.saving || !!d.theirs} onClick={() => void save({ status: 'draft' })}>{t('edit.draft')}</button>}
        <button type="button" class="btn primary" data-save="main" aria-keyshortcuts="Control+Enter" disabled={d.saving || !!d.theirs || (d.updating && !d.dirty && !d.setup.prefill)} onClick={main}>{d.saving ? t('edit.saving') : text ?? t(drafts ? 'edit.submit' : 'edit.save')}</button>
      </SaveRow>
      {shows && <Effects draft={d} />}
    </div>
  )
}

/** The first control that is wrong, else the sentence above them all. */
export const toTrouble = (box: HTMLElement | null): void => (box?.querySelector<HTMLElement>('[aria-invalid=true], [data-bad]') ?? box?.querySelector<HTMLElement>('.failure'))?.focus()

/** What the ERP has worked out of a record, in its place and not to be changed. */
function Given({ draft: d, fields }: { draft: Draft; fields: Form['fields'] }) {
  const rows = shown(fields).filter((x) => value(x, d.base) && x.field.name !== 'version')
  return rows.length ? <dl class="fields">{rows.map((x) => <div><dt>{label(x.field.label)}</dt><dd>{value(x, d.base)}</dd></div>)}</dl> : null
}

/** Above the fields: that something is wrong, and what has no field of its own. */
export function Problems({ draft: d }: { draft: Draft }) {
  const p = d.failure
  if (!p || d.theirs) return null
  const names = d.setup.fields.map((f) => f.name)
  const loose = [...d.problems].filter(([path]) => !names.includes(path.split('.')[0]!) || d.setup.fields.find((f) => f.name === path.split('.')[0])?.read_only)
  if (p.fields.length === 0) return <Failure problem={p}>{p.again && <span class="quiet">{t('card.again')}</span>}</Failure>
  return (
    <div class="failure" role="alert" tabIndex={-1}><Icon name="warn" />
      <div>{t('edit.problems', { count: d.problems.size || p.fields.length })}{loose.length > 0 && <ul>{loose.map(([, what]) => <li>{what}</li>)}</ul>}</div>
    </div>
  )
}
