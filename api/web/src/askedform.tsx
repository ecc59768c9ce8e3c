// A form of the ERP that the agent asks to have filled in.
import { useState } from 'preact/hooks'
import { t } from './i18n'
import { AskedFields } from './lazy'
import { Countdown } from './parts'
import type { QuestionView } from './transcript'

export function AskedFormCard({ q }: { q: QuestionView }) {
  const [over, setOver] = useState(false)
  const open = q.status === 'open' && !over
  return (
    <article class={`card question asked q-${q.status}`} aria-labelledby={'q-' + q.pending_id} data-pending={q.pending_id}>
      <header>
        <div class="card-title"><h3 class="kicker">{t('form.title')}</h3><p class="ask" id={'q-' + q.pending_id}>{q.question.question}</p></div>
        {open && <Countdown deadline={q.deadline} onEnd={() => setOver(true)} quiet />}
      </header>
      {open ? <AskedFields q={q} /> : <p class="result">{t(q.status === 'answered' ? 'form.answered' : q.status === 'cancelled' ? 'form.cancelled' : 'form.expired')}</p>}
    </article>
  )
}
