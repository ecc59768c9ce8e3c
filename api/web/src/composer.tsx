// Where a person writes. The text outlives a reload, a failure and a login.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { asProblem, type Problem } from './api'
import type { Conversation } from './conversation'
import { t } from './i18n'
import { composing, Failure, Icon, IconButton } from './parts'
import { session } from './session'
import { useStore, uuid } from './store'

const MAX = 8000

export function Composer({ conversation, onFirst }: { conversation?: Conversation; onFirst?: (text: string, key: string) => Promise<void> }) {
  useStore(session)
  const slot = 'erpilot.draft.' + (conversation?.id ?? 'new')
  const [text, setText] = useState(() => sessionStorage.getItem(slot) ?? '')
  const [problem, setProblem] = useState<Problem | null>(null)
  const [busy, setBusy] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const key = useRef({ text: '', key: '' })
  const view = conversation?.view
  const question = view?.openQuestion
  const replying = question && question.pending_id !== conversation!.detached ? question : undefined
  const running = view?.running

  useLayoutEffect(() => {
    const el = box.current!
    el.style.height = 'auto'
    el.style.height = Math.min(el.scrollHeight, innerHeight * 0.4) + 'px'
    if (text) sessionStorage.setItem(slot, text)
    else sessionStorage.removeItem(slot)
  }, [text])
  // Nobody's keyboard pops up on a phone unasked.
  useEffect(() => { if (matchMedia('(pointer: fine)').matches) box.current!.focus() }, [])

  const send = async () => {
    const said = text.trim()
    if (!said || busy) return
    if (key.current.text !== said) key.current = { text: said, key: uuid() }
    setBusy(true)
    setProblem(null)
    try {
      if (conversation) await conversation.send(said, key.current.key)
      else await onFirst!(said, key.current.key)
      setText((now) => (now.trim() === said ? '' : now))
      key.current = { text: '', key: '' }
    } catch (e) { setProblem(asProblem(e)) }
    setBusy(false)
  }
  const keys = (e: KeyboardEvent) => {
    if (e.key !== 'Enter' || composing(e) || e.shiftKey || e.altKey) return
    if (session.ctrlEnter !== (e.ctrlKey || e.metaKey)) return
    e.preventDefault()
    void send()
  }
  return (
    <form class="composer" onSubmit={(e) => { e.preventDefault(); void send() }}>
      <Failure problem={problem}>{problem?.again && <button type="button" class="btn" onClick={() => void send()}>{t('again')}</button>}</Failure>
      <div class="box">
        {replying && (
          <div class="chip"><Icon name="ask" /><span>{t('composer.replying', { question: replying.question.question })}</span>
            <IconButton icon="close" text={t('composer.detach')} onClick={() => { conversation!.detached = replying.pending_id; conversation!.changed(); box.current!.focus() }} /></div>
        )}
        <div class="line">
          <textarea ref={box} id="composer" rows={1} maxLength={MAX} value={text} aria-label={t('composer.label')} placeholder={replying ? t('composer.reply') : t('composer.placeholder')}
            aria-keyshortcuts={session.ctrlEnter ? 'Control+Enter' : 'Enter'} enterkeyhint={session.ctrlEnter ? 'enter' : 'send'}
            onInput={(e) => setText(e.currentTarget.value)} onKeyDown={keys} />
          {running && <button type="button" class="round stop" aria-label={t('stop')} title={t('stop')} disabled={conversation!.busy === 'stop'} onClick={() => void conversation!.stop()}><Icon name="stop" /></button>}
          <button type="submit" class="round send" aria-label={t('send')} title={t('send')} disabled={busy || !text.trim()}><Icon name="send" /></button>
        </div>
      </div>
      <p class="quiet foot">{t(session.ctrlEnter ? 'composer.hint_ctrl' : 'composer.hint')}</p>
    </form>
  )
}
