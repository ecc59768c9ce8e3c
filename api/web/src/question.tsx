// A question of the agent: options as buttons, free text where it is allowed.
import { useRef, useState } from 'preact/hooks'
import type { Conversation } from './conversation'
import { t } from './i18n'
import { composing, Countdown } from './parts'
import type { QuestionView } from './transcript'

export function QuestionCard({ q, conversation }: { q: QuestionView; conversation: Conversation }) {
  const [text, setText] = useState('')
  const [over, setOver] = useState(false)
  const card = useRef<HTMLElement>(null)
  const open = q.status === 'open' && !over
  const options = q.question.options ?? []
  const busy = conversation.busy === q.pending_id
  const answer = (a: string) => { if (open && !busy && a.trim()) void conversation.answer(q.pending_id, a.trim()) }
  const keys = (e: KeyboardEvent) => {
    // Digits choose only while the card itself, or one of its buttons, has the focus.
    if (composing(e) || e.ctrlKey || e.metaKey || e.altKey || (e.target as HTMLElement).tagName === 'INPUT') return
    const option = options[Number(e.key) - 1]
    if (/^[1-9]$/.test(e.key) && option) { e.preventDefault(); answer(option) }
  }
  return (
    <article class={`card question q-${q.status}`} ref={card} tabIndex={open ? 0 : undefined} onKeyDown={keys} aria-labelledby={'q-' + q.pending_id} data-pending={q.pending_id}>
      <header>
        <div class="card-title"><h3 class="kicker">{t('question.title')}</h3><p class="ask" id={'q-' + q.pending_id}>{q.question.question}</p></div>
        {open && <Countdown deadline={q.deadline} onEnd={() => setOver(true)} quiet />}
      </header>
      {open ? (
        <>
          {options.length > 0 && <div class="options">{options.map((o, i) => (
            <button type="button" class="btn option" disabled={busy} onClick={() => answer(o)}>{i < 9 && <kbd aria-hidden="true">{i + 1}</kbd>}{o}</button>
          ))}</div>}
          {(q.question.allow_free_text || options.length === 0) && (
            <form class="row free" onSubmit={(e) => { e.preventDefault(); answer(text) }}>
              <input type="text" aria-label={t('question.free')} placeholder={t('question.free')} maxLength={4000} value={text} disabled={busy}
                onInput={(e) => setText(e.currentTarget.value)} onKeyDown={(e) => { if (e.key === 'Enter' && composing(e)) e.preventDefault() }} />
              <button type="submit" class="btn" disabled={busy || !text.trim()}>{t('question.send')}</button>
            </form>
          )}
          {options.length > 0 && <p class="quiet hint">{t('question.keys')}</p>}
        </>
      ) : (
        <p class="result">{q.status === 'answered' ? t('question.answered', { answer: q.answer ?? '' }) : q.status === 'cancelled' ? t('question.cancelled') : t('question.expired')}</p>
      )}
    </article>
  )
}
