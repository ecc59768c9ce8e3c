// "My AI to-dos": what the assistant has prepared, and what has become of it.
import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, post, type Problem } from '../api'
import { faultText, label, said, t, when, word } from '../i18n'
import { safeHref } from '../markdown'
import { Countdown, Failure } from '../parts'
import { forms, recordHref } from '../records'
import { session } from '../session'
import { uuid, useStore } from '../store'
import { todos } from '../todos'
import type { Refusal, Todo } from '../types'
import { Crumbs, Loading } from './parts'

/** In the order in which they matter to the person. */
const STATES = ['todo', 'failed', 'processing', 'done']
const EVERY = 3000

export function TodosPage() {
  useStore(todos)
  useStore(session)
  useStore(forms)
  const [problem, setProblem] = useState<Problem | null>(null)
  const load = () => (document.visibilityState === 'hidden' ? Promise.resolve() : todos.load().then(() => setProblem(null), (e) => setProblem(asProblem(e))))
  useEffect(() => {
    void load()
    const timer = setInterval(() => void load(), EVERY)
    document.addEventListener('visibilitychange', load)
    return () => { clearInterval(timer); document.removeEventListener('visibilitychange', load) }
  }, [session.expired])
  const all = todos.list
  return (
    <div class="column">
      <Crumbs />
      <h2 class="page-title">{t('todos.title')}</h2>
      <Failure problem={problem}><button type="button" class="btn" onClick={() => void load()}>{t('again')}</button></Failure>
      {!all && !problem && <Loading />}
      {all?.length === 0 && <p class="empty">{t('todos.empty')}</p>}
      {all && STATES.map((s) => <Group key={s} state={s} list={all.filter((x) => x.state === s)} onDone={() => void load()} />)}
    </div>
  )
}

function Group({ state, list, onDone }: { state: string; list: Todo[]; onDone: () => void }) {
  if (list.length === 0) return null
  return (
    <section class="todos" data-state={state} aria-labelledby={'todo-' + state}>
      <h3 id={'todo-' + state}>{word('todo', state)} <span class="count">{list.length}</span></h3>
      <ul>{list.map((x) => <Item key={x.op_id} x={x} onDone={onDone} />)}</ul>
    </section>
  )
}

/** Why nothing was written. */
const refused = (r: Refusal): string => faultText(r.code, { object: r.fact?.object ?? '', label: label(r.fact?.label), old: r.old ?? '', new: r.new ?? '', detail: r.detail ?? '' })

function Item({ x, onDone }: { x: Todo; onDone: () => void }) {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const key = useRef('')
  const open = safeHref(x.open)
  const record = safeHref(x.link) || (x.bill ? recordHref(x.form, x.bill) : '')
  const again = async (how: 'retry' | 'repropose') => {
    setBusy(true)
    setProblem(null)
    key.current ||= uuid()
    try {
      await post(`/api/op/${encodeURIComponent(x.op_id)}/${how}`, {}, key.current)
      key.current = ''
      onDone()
    } catch (e) {
      const p = asProblem(e)
      if (!p.again) key.current = ''
      setProblem(p)
    }
    setBusy(false)
  }
  return (
    <li class="card todo" data-op={x.op_id}>
      <header>
        <div class="card-title"><h4>{said(x.title) || label(forms.seek(x.form)?.label) || x.form}</h4>{x.object && <p class="object">{x.object}</p>}</div>
        <span class={`pill p-${x.status}`}>{x.state === 'processing' && <i class="spin" aria-hidden="true" />}{word('status', x.status)}</span>
      </header>
      <div class="row between">
        <span class="row">
          {x.state === 'todo' && open && <a class="btn primary" data-open href={open}>{t(x.status === 'handed_off' ? 'todos.open' : 'todos.decide')}</a>}
          {x.retry && <button type="button" class="btn" data-retry disabled={busy} onClick={() => void again('retry')}>{busy ? t('card.retrying') : t('card.retry')}</button>}
          {x.repropose && <button type="button" class="btn" data-repropose disabled={busy} onClick={() => void again('repropose')}>{busy ? t('card.reproposing') : t('card.repropose')}</button>}
          {record && <a class="bill" href={record}>{x.bill || t('todos.record')}</a>}
          {x.conversation_id && <a href={'/c/' + x.conversation_id}>{t('todos.conversation')}</a>}
        </span>
        {x.state === 'todo' && x.deadline ? <Countdown deadline={x.deadline} quiet onEnd={onDone} /> : <span class="quiet">{when(x.created_at)}</span>}
      </div>
      {x.refusal && <p class="quiet">{refused(x.refusal)}</p>}
      <Failure problem={problem} />
    </li>
  )
}
