// What can be done with a record: buttons by its state and the person's grants.
// Each shows first what the ERP would make of it, and then does it.
import { useEffect, useState } from 'preact/hooks'
import { label, t } from '../i18n'
import { Dialog, Failure, Icon } from '../parts'
import { listHref, recordHref } from '../records'
import type { Action, Form, Row, Saved } from '../types'
import { generateHref, targets } from './chain'
import { Labelled } from './control'
import { useDraft, useEnd } from './edit'
import { Picture } from './effects'
import { writable } from './values'

/** A form without states offers its actions always. */
export const fits = (a: Action, record: Row): boolean => !a.states?.length || a.states.includes(String(record.status ?? ''))
const OTHER = ['create', 'update', 'generate']

export function Actions({ form, record, bill, onPick }: { form: Form; record: Row; bill: string; onPick: (a: Action) => void }) {
  const [next, setNext] = useState<Form[]>([])
  const ready = record.status === 'examined'
  useEffect(() => {
    let gone = false
    if (ready) void targets(form.form).then((all) => { if (!gone) setNext(all) }, () => {})
    return () => { gone = true }
  }, [form.form, ready])
  const own = (form.actions ?? []).filter((a) => a.write !== false && !OTHER.includes(a.action) && fits(a, record))
  const update = form.actions?.find((a) => a.action === 'update' && fits(a, record))
  if (!own.length && !update && !(ready && next.length)) return null
  return (
    <div class="row actions" role="group" aria-label={t('actions')}>
      {update && <a class="btn" data-action="update" href={recordHref(form.form, bill) + '&edit=1'}><Icon name="edit" />{t('edit')}</a>}
      {own.map((a) => <button type="button" class={`btn ${a.danger ? 'danger' : ''}`} data-action={a.action} onClick={() => onPick(a)}>{label(a.label)}</button>)}
      {ready && next.map((f) => <a class="btn" data-generate={f.form} href={generateHref(f.form, form.form, bill)}><Icon name="chevron" />{t('actions.generate', { form: label(f.label) })}</a>)}
    </div>
  )
}

interface Props { form: Form; action: Action; bill: string; record: Row; staging?: string; prefill?: Row; onClose: () => void; onDone: (s: Saved) => void; onStale: () => void }

export function ActionDialog(p: Props) {
  return (
    <Dialog title={t('action.title', { action: label(p.action.label), bill: p.bill })} onClose={p.onClose} wide>
      <ActionBody {...p} />
    </Dialog>
  )
}

/** Arguments, the picture of what happens, and the word to do it. */
export function ActionBody({ form, action, bill, record, staging, prefill, onClose, onDone, onStale }: Props) {
  // version of the record goes along; its own fields do not.
  const d = useDraft({ form, action: action.action, fields: (action.args ?? []).filter(writable), target: bill, prefill, staging })
  d.base = { version: record.version }
  useEnd(d, onStale)
  const run = async () => {
    const done = await d.save()
    if (done) onDone(done)
  }
  const stale = d.failure && ['record_changed', 'state_changed'].includes(d.failure.code)
  return (
    <>
      {d.setup.fields.length > 0 && <div class="inputs">{d.setup.fields.map((f) => <Labelled key={f.name} field={f} value={String(d.values[f.name] ?? '')} onValue={(v) => d.set(f.name, v)} problem={d.problems.get(f.name)} mark={d.prefilled.has(f.name) ? 'filled' : ''} />)}</div>}
      <div class="picture"><Picture draft={d} /></div>
      {action.danger && <p class="note strong"><Icon name="warn" />{t('action.danger')}</p>}
      <Failure problem={d.failure}>{stale && <button type="button" class="btn" onClick={onStale}>{t('action.fresh')}</button>}</Failure>
      <div class="row end">
        <button type="button" class="btn" onClick={onClose}>{t('action.not')}</button>
        <button type="button" class={`btn ${action.danger ? 'danger' : 'primary'}`} data-do={action.action} disabled={d.saving || d.looking || (!d.preview && !!d.blind && !d.blind.again)} onClick={() => void run()}>{d.saving ? t('edit.saving') : label(action.label)}</button>
      </div>
    </>
  )
}
export const backOf = (form: Form, bill: string): string => (bill ? recordHref(form.form, bill) : listHref(form.form))
