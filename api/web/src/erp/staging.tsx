// A form that the assistant has filled in: what was approved stands in it, marked;
// the person looks at it and saves, and that completes the proposal.
import { useState } from 'preact/hooks'
import { label, said, t, when, word } from '../i18n'
import { safeHref } from '../markdown'
import { Countdown, Icon } from '../parts'
import { forms, recordHref } from '../records'
import { todos } from '../todos'
import type { Action, Form, Row, Saved, Staging } from '../types'
import { ActionBody } from './actions'
import { Editor, keeps, remember, useDraft, useEnd } from './edit'
import { Generator, read } from './generate'
import { useLoad } from './load'
import { Crumbs, Loading, Sheet, Trouble } from './parts'
import type { Source } from './sources'
import { text } from './values'
import { erp } from './wire'

interface Found { staging: Staging; record?: Row; sources?: { form: Form; sources: Source[] } }

/** A list, or numbers with commas between them. */
const sourcesOf = (v: unknown): string[] => (Array.isArray(v) ? v : text(v).split(/[,，]/)).map((s) => text(s)).filter(Boolean)

async function find(form: Form, op: string): Promise<Found> {
  const staging = await erp.staging(op)
  if (staging.status !== 'handed_off') return { staging }
  if (staging.action === 'generate') return { staging, sources: await read(text(staging.payload.source_form), sourcesOf(staging.payload.sources), staging.payload) }
  return { staging, record: staging.target ? await forms.record(form.form, staging.target) : undefined }
}

export function StagingPage({ form, op }: { form: Form; op: string }) {
  const [age, setAge] = useState(0)
  const { data, problem, again } = useLoad(() => find(form, op), [op, age])
  const [saved, setSaved] = useState<(Saved & { waits?: boolean }) | null>(null)
  const [over, setOver] = useState(false)
  const s = data?.staging
  return (
    <>
      <Crumbs form={form} bill={s?.target} />
      {problem && <Trouble problem={problem} bill={op} again={() => void again()} />}
      {!data && !problem && <Loading />}
      {s && (
        <Sheet kicker={t('staging.kicker')} title={said(s.title) || label(form.label)} object={s.object || s.target}
          aside={s.status === 'handed_off' && !saved ? <Countdown deadline={s.deadline} onEnd={() => setOver(true)} /> : <span class={`pill p-${saved ? (saved.waits ? 'awaiting_approval' : 'completed') : s.status}`}>{word('status', saved ? (saved.waits ? 'awaiting_approval' : 'completed') : s.status)}</span>}>
          {saved ? <Done form={form} s={s} saved={saved} /> : s.status === 'handed_off' && !over ? (
            <>
              <div class="note"><Icon name="edit" /><div>
                <p>{t('staging.what', { deadline: when(s.deadline) })}</p>
                {s.policy !== 'self' && <p>{t('staging.governed')}</p>}
                {s.reason && <p class="reason"><q lang="">{s.reason}</q></p>}
              </div></div>
              <Fill key={age} form={form} data={data!} onSaved={(x) => { setSaved(x); void todos.load().catch(() => {}) }} onStale={() => setAge(age + 1)} />
            </>
          ) : <Ended form={form} s={over && s.status === 'handed_off' ? { ...s, status: 'abandoned' } : s} />}
          {s.conversation_id && <p class="where"><a href={'/c/' + s.conversation_id}>{t('staging.back')}</a></p>}
        </Sheet>
      )}
    </>
  )
}

interface FillProps { form: Form; data: Found; onSaved: (s: Saved & { waits?: boolean }) => void; onStale: () => void }

function Fill({ form, data: { staging: s, record, sources }, onSaved, onStale }: FillProps) {
  const back = s.conversation_id ? '/c/' + s.conversation_id : '/erp/todos'
  if (sources) return <Generator form={form} source={sources.form} first={sources.sources} back={back} prefill={s.payload} staging={s.op_id} onSaved={onSaved} onStale={onStale} />
  if (s.action === 'create' || s.action === 'update') return <FillForm form={form} s={s} record={record} back={back} onSaved={onSaved} onStale={onStale} />
  const action: Action = form.actions?.find((a) => a.action === s.action) ?? { action: s.action, label: { zh: s.action, en: s.action } }
  return <ActionBody form={form} action={action} bill={s.target ?? ''} record={record ?? {}} staging={s.op_id} prefill={s.payload} onClose={() => history.back()} onDone={onSaved} onStale={onStale} />
}

function FillForm({ form, s, record, back, onSaved, onStale }: { form: Form; s: Staging; record?: Row; back: string; onSaved: FillProps['onSaved']; onStale: () => void }) {
  if (record) remember(form, record)
  // The state in which it was approved to be saved.
  const kept: Row = s.action === 'create' && s.payload.status !== undefined && form.fields.find((f) => f.name === 'status')?.read_only ? { status: s.payload.status } : {}
  const d = useDraft({ form, action: s.action, fields: form.fields, target: s.target || undefined, record, prefill: s.payload, staging: s.op_id, guarded: true, extra: () => kept })
  useEnd(d, onStale)
  return <Editor draft={d} back={back} drafts={s.action === 'create' && keeps(form) && !('status' in s.payload)} label={t('staging.save')} onSaved={onSaved} />
}

function Done({ form, s, saved }: { form: Form; s: Staging; saved: Saved & { waits?: boolean } }) {
  if (saved.waits) return <div class="result"><p>{t('staging.waits')}</p></div>
  const bills = saved.bills?.length ? saved.bills : [saved.bill || s.target || ''].filter(Boolean)
  return (
    <div class="result good">
      <p><Icon name="check" />{t('staging.done', { form: label(form.label) })}</p>
      <p>{s.action !== 'delete' && bills.map((b) => <a class="bill" href={recordHref(form.form, b)}>{b}</a>)}</p>
    </div>
  )
}

/** Why nothing can be saved here any more. */
function Ended({ form, s }: { form: Form; s: Staging }) {
  const link = safeHref(s.link) || (s.bill ? recordHref(form.form, s.bill) : '')
  const good = s.status === 'completed' || s.status === 'executed'
  const why = word('ended', s.status)
  return (
    <div class={`result ${good ? 'good' : ''}`} role={good ? undefined : 'alert'}>
      <p>{good && <Icon name="check" />}{why === s.status ? t('staging.other', { status: word('status', s.status) }) : why}</p>
      {good && s.bill && <p><a class="bill" href={link}>{s.bill}</a></p>}
      {s.status === 'awaiting_approval' && <p><a href="/inbox">{t('staging.inbox')}</a></p>}
    </div>
  )
}
