// Everything that waits for a decision, soonest deadline first.
import { useEffect, useState } from 'preact/hooks'
import { asProblem, get, type Problem, rows } from './api'
import { conversations } from './conversation'
import { t } from './i18n'
import { Failure } from './parts'
import { Proposal } from './proposal'
import { session } from './session'
import { useStore } from './store'
import { final } from './transcript'
import type { Card } from './types'

export function Inbox() {
  useStore(session)
  const [cards, setCards] = useState<Card[]>([])
  const [loaded, setLoaded] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const load = async () => {
    if (session.expired || document.visibilityState === 'hidden') return
    try {
      const found = rows<Card>(await get('/api/op?status=awaiting_approval'))
      // What was decided here stays in sight until the page is left.
      setCards((old) => {
        const settled = old.filter((c) => !found.some((x) => x.op_id === c.op_id)).map((c) => (c.status === 'awaiting_approval' ? null : c)).filter((c) => c !== null)
        return [...found, ...settled].sort((a, b) => Date.parse(a.deadline) - Date.parse(b.deadline))
      })
      setLoaded(true)
      if (conversations.inbox !== found.length) { conversations.inbox = found.length; conversations.changed() }
      setProblem(null)
    } catch (e) { setProblem(asProblem(e)) }
  }
  // What is on its way is asked for one by one: the list holds only what waits.
  const follow = async () => {
    for (const c of cards) if (['approved', 'executing', 'reconciling'].includes(c.status)) await get<Card>(`/api/op/${c.op_id}`).then((x) => put(x), () => {})
  }
  const put = (card: Card, since?: string) => {
    const merge = (c: Card) => (c.op_id !== card.op_id || final(c.status) || (since && c.status !== since && !final(card.status)) ? c : { ...c, ...card })
    setCards((old) => (old.some((c) => c.op_id === card.op_id) ? old.map(merge) : [...old, card]))
    conversations.refreshSoon()
  }
  useEffect(() => { void load() }, [session.expired])
  useEffect(() => {
    const moving = cards.some((c) => ['approved', 'executing', 'reconciling'].includes(c.status))
    const timer = setInterval(() => { void load(); void follow() }, moving ? 1500 : 10_000)
    document.addEventListener('visibilitychange', load)
    return () => { clearInterval(timer); document.removeEventListener('visibilitychange', load) }
  }, [cards])
  return (
    <main class="chat">
      <div class="transcript" id="content" tabIndex={0} role="region" aria-label={t('inbox')}>
        <div class="column">
          <h2 class="page-title">{t('inbox.title')}</h2>
          <Failure problem={problem}><button type="button" class="btn" onClick={() => void load()}>{t('again')}</button></Failure>
          {loaded && cards.length === 0 && <p class="empty">{t('inbox.empty')}</p>}
          {cards.map((c) => (
            <Proposal key={c.op_id} card={c} put={put} lang={session.lang} before={cards.find((x) => x.op_id === c.replaces)}
              where={c.conversation_id ? <p class="where"><a href={'/c/' + c.conversation_id}>{t('inbox.open')}</a></p> : undefined} />
          ))}
        </div>
      </div>
    </main>
  )
}
