// A form that the agent asks for: keyed in within the conversation, priced by the
// ERP while it is, and sent to the agent. Nothing is written by that.
import { post } from '../api'
import { t } from '../i18n'
import { forms } from '../records'
import { uuid } from '../store'
import type { Form } from '../types'
import type { QuestionView } from '../transcript'
import { Editor, useDraft } from './edit'
import { useLoad } from './load'
import { Loading, Trouble } from './parts'

export function Collect({ q }: { q: QuestionView }) {
  const { data, problem, again } = useLoad(() => forms.schema(q.form!.form), [q.form!.form])
  if (data) return <Fill form={data} q={q} />
  return problem ? <Trouble problem={problem} bill={q.form!.form} again={() => void again()} /> : <Loading />
}

function Fill({ form, q }: { form: Form; q: QuestionView }) {
  const send = async (payload: Record<string, unknown>) => { await post(`/api/pending/${q.pending_id}/answer`, { answer: JSON.stringify(payload) }, uuid()) }
  const d = useDraft({ form, action: 'create', fields: form.fields, prefill: q.form!.values, answer: send })
  return <Editor draft={d} label={t('form.send')} onSaved={() => {}} />
}
