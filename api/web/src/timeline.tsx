// The calls of a turn: one collapsible row each, with phase and duration.
import type { ComponentChildren } from 'preact'
import { decimal, faultText, t, word } from './i18n'
import { Icon } from './parts'
import { memo } from './store'
import type { CallView } from './transcript'

export function Timeline({ calls, live, lang }: { calls: CallView[]; live: boolean; lang: string }) {
  return <ul class="timeline" aria-label={t('calls')}>{calls.map((c) => <Row key={c.call_id} call={c} live={live} lang={lang} />)}</ul>
}

const Row = memo(function Row({ call: c, live }: { call: CallView; live: boolean }) {
  const done = c.phase === 'finished'
  const bad = done && c.outcome === 'error'
  const going = !done && live && c.phase !== 'pending'
  return (
    <li class={`call ${bad ? 'bad' : done ? 'done' : 'going'}`} data-call={c.call_id} data-phase={c.phase}>
      <details>
        <summary>
          <span class="mark" aria-hidden="true">{going ? <i class="spin" /> : <Icon name={bad ? 'warn' : done ? 'check' : 'clock'} />}</span>
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

/** A few words about what the call looks at. */
function about(c: CallView): string {
  if (c.summary) return c.summary
  try {
    const a = JSON.parse(c.arguments)
    return [a.form, a.query, a.action, a.target, a.id].filter((x) => typeof x === 'string').join(' · ')
  } catch { return '' }
}

/** Arguments as a list that a person can read. */
function Arguments({ json }: { json: string }) {
  let value: unknown
  try { value = JSON.parse(json) } catch { return <p>{t('call.raw')} <code>{json}</code></p> }
  if (!value || typeof value !== 'object' || Object.keys(value).length === 0) return <p class="quiet">{t('call.noargs')}</p>
  return <>{tree(value)}</>
}
function tree(v: unknown): ComponentChildren {
  if (Array.isArray(v)) return v.every((x) => typeof x !== 'object') ? v.join(', ') : <ol>{v.map((x) => <li>{tree(x)}</li>)}</ol>
  if (v && typeof v === 'object') return <dl class="tree">{Object.entries(v).map(([k, x]) => <div><dt>{word('arg', k)}</dt><dd>{tree(x)}</dd></div>)}</dl>
  return String(v)
}
