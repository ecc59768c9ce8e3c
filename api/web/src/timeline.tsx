// The calls of a turn: one collapsible row each, with phase and duration.
import { about, Arguments } from './arguments'
import { decimal, faultText, t, word } from './i18n'
import { Icon } from './parts'
import { forms } from './records'
import { memo, useStore } from './store'
import type { CallView } from './transcript'

export function Timeline({ calls, live, lang }: { calls: CallView[]; live: boolean; lang: string }) {
  useStore(forms)
  return <ul class="timeline" aria-label={t('calls')}>{calls.map((c) => <Row key={c.call_id} call={c} live={live} lang={lang} age={forms.age} />)}</ul>
}

const Row = memo(function Row({ call: c, live }: { call: CallView; live: boolean; age: number }) {
  const done = c.phase === 'finished'
  const bad = done && c.outcome === 'error'
  const not = done && ['refused', 'rejected', 'cancelled', 'expired', 'failed', 'abandoned'].includes(c.outcome ?? '')
  const going = !done && live && c.phase !== 'pending'
  return (
    <li class={`call ${bad ? 'bad' : not ? '' : done ? 'done' : 'going'}`} data-call={c.call_id} data-phase={c.phase}>
      <details>
        <summary>
          <span class="mark" aria-hidden="true">{going ? <i class="spin" /> : <Icon name={bad ? 'warn' : not ? 'close' : done ? 'check' : 'clock'} />}</span>
          <span class="tool">{word('tool', c.tool)}</span>
          <span class="about">{about(c)}</span>
          <span class="phase">{done ? word('done', c.outcome ?? 'ok') : word('phase', c.phase === 'pending' && c.effect === 'ask' ? 'asked' : c.phase)}</span>
          {c.ms !== undefined && <span class="ms">{c.ms < 1000 ? t('ms', { ms: c.ms }) : t('seconds', { seconds: (c.ms / 1000).toFixed(1) })}</span>}
        </summary>
        <div class="args">
          {bad && c.code && <p class="failure">{faultText(c.code, c.params)}</p>}
          {c.total !== undefined && c.total > 0 && <p>{t('call.rows', { rows: decimal(String(c.rows ?? 0)), total: decimal(String(c.total)) })}</p>}
          <Arguments json={c.arguments} />
        </div>
      </details>
    </li>
  )
})
