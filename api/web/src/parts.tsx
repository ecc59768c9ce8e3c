// Small parts that several screens share.
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { clock, type Problem } from './api'
import { left, t, when } from './i18n'
import { session } from './session'
import { announcer, useStore } from './store'

const PATHS = {
  plus: 'M8 3v10M3 8h10', back: 'M13 8H3.5M7.5 4l-4 4 4 4', menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11', more: 'M3.5 8h.01M8 8h.01M12.5 8h.01', close: 'M4 4l8 8M12 4l-8 8',
  send: 'M8 13V3.5M4 7l4-4 4 4', stop: 'M5 5h6v6H5z', copy: 'M5.5 5.5h7v7h-7zM3.5 10.5v-7h7', check: 'M3.5 8.5l3 3 6-7', down: 'M8 3v9.5M4 9l4 4 4-4',
  inbox: 'M2.5 9l2-5.5h7l2 5.5v3.5h-11zM2.5 9h3.3l1 1.6h2.4l1-1.6h3.3', clock: 'M8 4.5V8l2.3 1.4M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
  warn: 'M8 6v3.2M8 11.4h.01M8 2.2l6.2 11H1.8z', sun: 'M8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9M11 8a3 3 0 1 1-6 0 3 3 0 0 1 6 0z',
  help: 'M6.2 6.2a1.9 1.9 0 1 1 2.7 1.9c-.6.3-.9.7-.9 1.3M8 11.4h.01M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.4 10.4L14 14', chevron: 'M6 4l4 4-4 4', out: 'M6.5 13.5h-4v-11h4M10.5 11l3-3-3-3M13.5 8h-7',
  file: 'M4 1.8h5.3L12.5 5v9.2H4zM9 2v3.4h3.3', ask: 'M2.5 3h11v8H7l-3 2.6V11H2.5z', edit: 'M3 13l.6-2.8 7-7 2.2 2.2-7 7zM9.4 4.4l2.2 2.2', bin: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
} as const
export type IconName = keyof typeof PATHS
export function Icon({ name }: { name: IconName }) {
  return <svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d={PATHS[name]} /></svg>
}

export function IconButton({ icon, text, onClick, class: cls, ...rest }: { icon: IconName; text: string; onClick?: (e: Event) => void; class?: string; [k: string]: unknown }) {
  return <button type="button" class={`ib ${cls ?? ''}`} aria-label={text} title={text} onClick={onClick} {...rest}><Icon name={icon} /></button>
}

export function Failure({ problem, children }: { problem: Problem | null; children?: ComponentChildren }) {
  return problem && problem.status !== 401 ? <div class="failure" role="alert"><Icon name="warn" /><span>{problem.text}</span>{children}</div> : null
}

/** The one live region of the page. */
export function Status() {
  useStore(announcer)
  return <div class="sr" role="status">{announcer.text}</div>
}

/** Who answers; the demo planner says that it is one. */
export function ModelBadge() {
  useStore(session)
  if (!session.model && !session.demo) return null
  return session.demo
    ? <span class="badge demo" title={t('model.demo.what')}>{t('model.demo')}</span>
    : <span class="badge" title={t('model.what')}>{session.model}</span>
}

/** What is left until the deadline by the server's clock. onEnd is called once. */
export function Countdown({ deadline, onEnd, quiet }: { deadline: string; onEnd?: () => void; quiet?: boolean }) {
  const at = Date.parse(deadline)
  const [, tick] = useState(0)
  const told = useRef(at - clock.now() < 60_000 ? 1 : 0)
  useEffect(() => {
    let timer = 0
    const beat = () => {
      clearTimeout(timer)
      const rest = at - clock.now()
      tick((n) => n + 1)
      if (rest <= 60_000 && rest > 0 && told.current < 1) { told.current = 1; if (!quiet) announcer.say(t('say.minute')) }
      if (rest <= 0) { if (told.current < 2) { told.current = 2; onEnd?.() } return }
      timer = window.setTimeout(beat, rest < 3_600_000 ? Math.min(1000, rest + 20) : 30_000)
    }
    beat()
    document.addEventListener('visibilitychange', beat)
    return () => { clearTimeout(timer); document.removeEventListener('visibilitychange', beat) }
  }, [at])
  const rest = at - clock.now()
  return (
    <time class={`countdown ${rest <= 0 ? 'over' : rest < 600_000 ? 'soon' : ''}`} dateTime={deadline} title={when(deadline)} aria-live="off">
      <Icon name="clock" />{rest <= 0 ? t('left.none') : left(rest)}
    </time>
  )
}

/** A modal dialog; the browser keeps the focus inside. */
export function Dialog({ title, onClose, children, fixed, wide }: { title: string; onClose: () => void; children: ComponentChildren; fixed?: boolean; wide?: boolean }) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => { if (!ref.current!.open) ref.current!.showModal() }, [])
  return (
    <dialog ref={ref} class={wide ? 'wide' : undefined} aria-labelledby="dialog-title" onCancel={(e) => { e.preventDefault(); if (!fixed) onClose() }}
      onClick={(e) => { if (!fixed && e.target === ref.current) onClose() }}>
      <div class="dialog">
        <header><h2 id="dialog-title">{title}</h2>{!fixed && <IconButton icon="close" text={t('close')} onClick={onClose} />}</header>
        {children}
      </div>
    </dialog>
  )
}

export async function copy(text: string): Promise<void> {
  try { await navigator.clipboard.writeText(text) } catch {
    // Plain http has no clipboard API.
    const box = document.createElement('textarea')
    box.value = text
    document.body.append(box)
    box.select()
    document.execCommand('copy')
    box.remove()
  }
  announcer.say(t('copied'))
}

/** True while an input method composes; 229 is Safari's word for it. */
export const composing = (e: KeyboardEvent): boolean => e.isComposing || e.keyCode === 229
