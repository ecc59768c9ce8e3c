// Conversations: what waits where, rename, delete.
import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, call, type Problem } from './api'
import { conversations } from './conversation'
import { label, t, when } from './i18n'
import { composing, Countdown, Dialog, Failure, Icon, IconButton } from './parts'
import { go, route, useRoute } from './route'
import { session } from './session'
import { LanguageSwitch, ThemeSwitch } from './switches'
import { useStore } from './store'
import { todos } from './todos'
import type { Summary } from './types'

export function Sidebar({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  useStore(conversations)
  useStore(session)
  useStore(todos)
  const here = useRoute()
  const [find, setFind] = useState('')
  const [deleting, setDeleting] = useState<Summary | null>(null)
  const list = conversations.list.filter((c) => (c.title || '').toLowerCase().includes(find.toLowerCase()))
  const user = session.user
  return (
    <nav class="sidebar" aria-label={t('sidebar')}>
      <div class="brand"><img src="/assets/icon.svg" alt="" width="24" height="24" /><strong>Erpilot</strong><IconButton icon="close" class="narrow" text={t('sidebar.close')} onClick={onClose} /></div>
      <a class="btn new" href="/" aria-keyshortcuts="Control+K" onClick={onClose}><Icon name="plus" />{t('new')}</a>
      <a class="nav-link" href="/inbox" aria-current={here.page === 'inbox' ? 'page' : undefined} onClick={onClose}>
        <Icon name="inbox" />{t('inbox')}{conversations.inbox > 0 && <span class="count"><span aria-hidden="true">{conversations.inbox}</span><span class="sr">{t('pending.count', { count: conversations.inbox })}</span></span>}
      </a>
      <a class="nav-link" href="/erp/" aria-current={here.page === 'erp' ? 'page' : here.page === 'form' ? 'true' : undefined} onClick={onClose}><Icon name="file" />{t('erp.home')}</a>
      <a class="nav-link" href="/erp/todos" aria-current={here.page === 'todos' ? 'page' : undefined} onClick={onClose}>
        <Icon name="check" />{t('todos')}{todos.waiting > 0 && <span class="count"><span aria-hidden="true">{todos.waiting}</span><span class="sr">{t('pending.count', { count: todos.waiting })}</span></span>}
      </a>
      {conversations.list.length > 6 && <label class="find"><Icon name="search" /><span class="sr">{t('search')}</span><input type="search" placeholder={t('search')} value={find} onInput={(e) => setFind(e.currentTarget.value)} /></label>}
      <h2 class="kicker">{t('conversations')}</h2>
      <ul class="conversations">
        {list.map((c) => <Entry key={c.conversation_id} c={c} current={here.id === c.conversation_id} onOpen={onClose} onDelete={() => setDeleting(c)} />)}
        {conversations.loaded && list.length === 0 && <li class="quiet none">{t(find ? 'search.none' : 'conversations.none')}</li>}
      </ul>
      <div class="row between phone"><ThemeSwitch /><LanguageSwitch /></div>
      <div class="me">
        <span class="avatar" aria-hidden="true">{[...(user?.display_name || user?.username || '?')][0]}</span>
        <span class="who"><strong>{user?.display_name || user?.username}</strong><small>{label(session.tenant)}</small></span>
        <IconButton icon="help" text={t('help')} onClick={onHelp} />
        <IconButton icon="out" text={t('logout')} onClick={() => { void call('POST', '/api/logout', {}).catch(() => {}).then(() => session.logout()) }} />
      </div>
      {deleting && <Delete c={deleting} onClose={() => setDeleting(null)} />}
    </nav>
  )
}

function Entry({ c, current, onOpen, onDelete }: { c: Summary; current: boolean; onOpen: () => void; onDelete: () => void }) {
  const [name, setName] = useState<string | null>(null)
  const [open, setOpen] = useState(false)
  const more = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!open) return
    const shut = (e: Event) => { if (!(e instanceof KeyboardEvent) || e.key === 'Escape') setOpen(false) }
    const timer = setTimeout(() => document.addEventListener('click', shut))
    document.addEventListener('keydown', shut)
    return () => { clearTimeout(timer); document.removeEventListener('click', shut); document.removeEventListener('keydown', shut) }
  }, [open])
  const rename = async () => {
    const title = name?.trim()
    setName(null)
    if (!title || title === c.title) return
    c.title = title
    conversations.changed()
    await call('PATCH', `/api/conversations/${c.conversation_id}`, { title }).catch(() => {})
    void conversations.refresh()
  }
  const title = c.title || t('untitled')
  if (name !== null) {
    return <li class="entry"><form onSubmit={(e) => { e.preventDefault(); void rename() }}>
      <input class="rename" aria-label={t('rename')} value={name} maxLength={200} ref={(el) => { if (el && document.activeElement !== el) { el.focus(); el.select() } }}
        onInput={(e) => setName(e.currentTarget.value)} onBlur={() => void rename()}
        onKeyDown={(e) => { if (composing(e)) { if (e.key === 'Enter') e.preventDefault() } else if (e.key === 'Escape') { e.stopPropagation(); setName(null) } }} />
    </form></li>
  }
  return (
    <li class={`entry ${current ? 'current' : ''}`}>
      <a href={'/c/' + c.conversation_id} aria-current={current ? 'page' : undefined} onClick={onOpen} title={when(c.updated_at)}>
        <span class="title">{c.run === 'running' && <i class="spin" aria-hidden="true" />}<span>{title}</span></span>
        {c.pending_count > 0 && <span class="waits"><span class="count"><span aria-hidden="true">{c.pending_count}</span><span class="sr">{t('pending.count', { count: c.pending_count })}</span></span>{c.nearest_deadline && <Countdown deadline={c.nearest_deadline} quiet onEnd={() => conversations.refreshSoon()} />}</span>}
      </a>
      <button type="button" class="ib more" ref={more} aria-label={t('more', { title })} aria-expanded={open} onClick={() => setOpen(!open)}><Icon name="more" /></button>
      {open && (
        <div class="menu">
          <button type="button" onClick={() => { setOpen(false); setName(c.title || '') }}><Icon name="edit" />{t('rename')}</button>
          <button type="button" onClick={() => { setOpen(false); onDelete() }}><Icon name="bin" />{t('delete')}</button>
        </div>
      )}
    </li>
  )
}

function Delete({ c, onClose }: { c: Summary; onClose: () => void }) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [busy, setBusy] = useState(false)
  const open = problem?.code === 'pending_open'
  const run = async () => {
    setBusy(true)
    try {
      await call('DELETE', `/api/conversations/${c.conversation_id}${open ? '?cancel_pending=1' : ''}`)
      if (route().id === c.conversation_id) go('/')
      sessionStorage.removeItem('erpilot.draft.' + c.conversation_id)
      await conversations.refresh()
      onClose()
    } catch (e) { setProblem(asProblem(e)) }
    setBusy(false)
  }
  return (
    <Dialog title={t('delete.title')} onClose={onClose}>
      <p>{t('delete.what', { title: c.title || t('untitled') })}</p>
      <Failure problem={problem} />
      <div class="row end">
        <button type="button" class="btn" onClick={onClose}>{t('delete.keep')}</button>
        <button type="button" class="btn danger" disabled={busy} onClick={() => void run()}>{t(open ? 'delete.cancel_pending' : 'delete')}</button>
      </div>
    </Dialog>
  )
}
