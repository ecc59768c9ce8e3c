// What became of a record: who changed what, when and through which channel.
import { useState } from 'preact/hooks'
import { asProblem, get, type Problem } from '../api'
import { label, t, when, word } from '../i18n'
import { Failure } from '../parts'
import { Diffs } from '../preview'
import { go } from '../route'
import type { Card, Form, HistoryEntry } from '../types'
import { useLoad } from './load'
import { erp } from './wire'

export function History({ form, bill, age }: { form: Form; bill: string; age: number }) {
  const { data, problem, again } = useLoad(() => erp.history(form.form, bill), [bill, age])
  if (problem && (problem.status === 404 || problem.status === 403)) return null
  return (
    <section class="history" aria-labelledby="history">
      <h3 id="history">{t('history')}</h3>
      <Failure problem={problem}><button type="button" class="btn" onClick={() => void again()}>{t('again')}</button></Failure>
      {data?.length === 0 && <p class="quiet">{t('history.none')}</p>}
      <ol>{data?.map((e) => <Entry key={e.version + e.action} e={e} />)}</ol>
    </section>
  )
}

function Entry({ e }: { e: HistoryEntry }) {
  const diffs = e.diffs ?? []
  return (
    <li>
      <p><strong>{label(e.action_label) || e.action}</strong> <span class="quiet">{t('history.by', { name: e.actor_name || e.actor, at: when(e.at), channel: word('channel', e.channel) })}</span></p>
      {e.comment && <p class="reason"><q lang="">{e.comment}</q></p>}
      {diffs.length > 0 && <details class="fold"><summary>{t('history.what', { count: diffs.length })}</summary><Diffs diffs={diffs} caption={t('history.changes')} /></details>}
      {e.op_id && <Origin op={e.op_id} conversation={e.conversation_id} />}
    </li>
  )
}

/** The conversation in which the change was proposed. */
function Origin({ op, conversation }: { op: string; conversation?: string }) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const find = async () => {
    try {
      const id = (await get<Partial<Card>>('/api/op/' + encodeURIComponent(op))).conversation_id
      if (id) go('/c/' + id)
      else setProblem(asProblem(null))
    } catch (e) { setProblem(asProblem(e)) }
  }
  if (conversation) return <p><a href={'/c/' + conversation}>{t('history.origin')}</a></p>
  return <><p><button type="button" class="link" onClick={() => void find()}>{t('history.origin')}</button></p><Failure problem={problem} /></>
}
