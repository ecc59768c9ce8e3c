// The shell: who is logged in, where we are, what is open.
import { Component, type ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { get, post } from './api'
import { Chat } from './chat'
import { Composer } from './composer'
import { asked, Conversation, conversations } from './conversation'
import { Help } from './help'
import { t } from './i18n'
import { Inbox } from './inbox'
import { ErpPages } from './lazy'
import { LoginAgain, LoginScreen } from './login'
import { composing, IconButton, ModelBadge, Status } from './parts'
import { forms, titleOf } from './records'
import { catchLinks, go, useRoute, visited } from './route'
import { session } from './session'
import { Sidebar } from './sidebar'
import { useStore } from './store'
import { LanguageSwitch, ThemeSwitch } from './switches'
import { todos } from './todos'
import type { LoginOptions, Summary } from './types'

export function App() {
  useStore(session)
  useEffect(() => {
    document.addEventListener('click', catchLinks)
    return () => document.removeEventListener('click', catchLinks)
  }, [])
  return <Guard>{session.token ? <Shell key={session.epoch} /> : <LoginScreen />}<Status /></Guard>
}

function Shell() {
  useStore(session)
  useStore(conversations)
  useStore(forms)
  const here = useRoute()
  const [drawer, setDrawer] = useState(false)
  const [help, setHelp] = useState(false)
  const [open, setOpen] = useState<Conversation | null>(null)

  useEffect(() => {
    conversations.list = []
    conversations.loaded = false
    forms.forget()
    todos.forget()
    if (!session.model) void get<LoginOptions>('/api/login/options').then((o) => session.labelled(o.model ?? (o.demo ? 'demo' : ''), o.demo), () => {})
    void conversations.refresh()
    const look = () => { void conversations.refresh(); void todos.load().catch(() => {}) }
    const beat = () => { if (document.visibilityState === 'visible') look() }
    const timer = setInterval(beat, 30_000)
    document.addEventListener('visibilitychange', beat)
    return () => { clearInterval(timer); document.removeEventListener('visibilitychange', beat) }
  }, [])
  useEffect(() => {
    if (here.page !== 'chat') { setOpen(null); return }
    visited.set(here.id)
    const c = new Conversation(here.id, () => conversations.refreshSoon())
    setOpen(c)
    return () => c.close()
  }, [here.page, here.id])
  useEffect(() => { void todos.load().catch(() => {}) }, [here.page, here.id])
  // After another login everything goes on where it was.
  useEffect(() => { if (!session.expired) { void conversations.refresh(); if (open && open.stream === null) void open.open() } }, [session.expired])
  useEffect(() => session.watch(() => { if (!session.expired && open?.stream && !open.stream.connected && open.stream.ended) void open.open() }), [open])
  useEffect(() => {
    const keys = (e: KeyboardEvent) => shortcut(e, () => setHelp(true), () => setDrawer(false))
    document.addEventListener('keydown', keys)
    return () => document.removeEventListener('keydown', keys)
  }, [])

  const inErp = here.page === 'form' || here.page === 'erp' || here.page === 'todos'
  const current = conversations.list.find((c) => c.conversation_id === here.id)
  const titles = { form: titleOf(here.id, here.bill), inbox: t('inbox'), erp: t('erp.home'), todos: t('todos'), home: '', chat: '' }
  const title = titles[here.page] || (here.page === 'chat' && (open?.view.title || current?.title)) || t('new')
  useEffect(() => { document.title = conversations.pending > 0 ? `(${conversations.pending}) ${title} · Erpilot` : `${title} · Erpilot` })
  return (
    <div class={`shell ${drawer ? 'drawer' : ''}`}>
      {here.page === 'home' || here.page === 'chat' ? <a class="skip" href="#composer">{t('skip')}</a> : <a class="skip" href="#content">{t('skip.content')}</a>}
      <Sidebar onClose={() => setDrawer(false)} onHelp={() => setHelp(true)} />
      {drawer && <div class="veil" onClick={() => setDrawer(false)} />}
      <div class="stage">
        <header class="top">
          <IconButton icon="menu" class="narrow" text={t('sidebar.open')} aria-expanded={drawer} onClick={() => setDrawer(true)} />
          <h1>{title}</h1>
          <ModelBadge /><span class="wide-only"><ThemeSwitch /><LanguageSwitch /></span>
        </header>
        {inErp ? <ErpPages here={here} /> : here.page === 'inbox' ? <Inbox /> : here.page === 'home' ? <Home /> : open && open.id === here.id ? <Chat key={open.id} conversation={open} /> : <main class="chat" />}
      </div>
      {help && <Help onClose={() => setHelp(false)} />}
      {session.expired && <LoginAgain />}
    </div>
  )
}

/** A new conversation: what can be asked here. */
function Home() {
  const examples = [t('example.1'), t('example.2'), t('example.3'), t('example.4')]
  const made = useRef('')
  const first = async (text: string, key: string) => {
    // A retry after a failure goes into the same conversation.
    made.current ||= (await post<Summary>('/api/conversations', {}, key)).conversation_id
    await post(`/api/conversations/${made.current}/messages`, { text }, key)
    sessionStorage.removeItem('erpilot.draft.new')
    void conversations.refresh()
    asked.id = made.current
    go('/c/' + made.current)
  }
  const [seed, setSeed] = useState({ n: 0, text: '' })
  return (
    <main class="chat">
      <div class="transcript home"><div class="empty">
        <img src="/assets/icon.svg" alt="" width="48" height="48" />
        <h2>{t('home.title', { name: session.user?.display_name ?? '' })}</h2>
        <p>{t('home.what')}</p>
        <ul class="examples">{examples.map((x) => <li><button type="button" class="btn" onClick={() => { sessionStorage.setItem('erpilot.draft.new', x); setSeed({ n: seed.n + 1, text: x }) }}>{x}</button></li>)}</ul>
      </div></div>
      <Composer key={seed.n} onFirst={first} />
    </main>
  )
}

function shortcut(e: KeyboardEvent, help: () => void, shut: () => void): void {
  if (composing(e) || document.querySelector('dialog[open]')) return
  const mod = e.ctrlKey || e.metaKey
  const typing = /^(INPUT|TEXTAREA|SELECT)$/.test((e.target as HTMLElement).tagName)
  const focus = () => document.getElementById('composer')?.focus()
  const scroller = document.querySelector('.transcript')
  if (mod && e.key.toLowerCase() === 'k') { e.preventDefault(); go('/'); setTimeout(focus) }
  else if (e.key === 'Escape') { shut(); focus() }
  else if (e.altKey && (e.key === 'ArrowUp' || e.key === 'ArrowDown')) { e.preventDefault(); step(e.key === 'ArrowUp' ? -1 : 1) }
  else if (mod && !typing && (e.key === 'ArrowUp' || e.key === 'ArrowDown') && scroller) { e.preventDefault(); scroller.scrollTop = e.key === 'ArrowUp' ? 0 : scroller.scrollHeight }
  else if (session.shortcuts && !typing && !mod && !e.altKey && e.key === '/') { e.preventDefault(); focus() }
  else if (session.shortcuts && !typing && !mod && !e.altKey && e.key === '?') { e.preventDefault(); help() }
}
/** Moves the focus to the message before or after. */
function step(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>('.user[tabindex], .agent, .card')]
  const at = all.findIndex((x) => x.contains(document.activeElement))
  const next = all[at < 0 ? (by < 0 ? all.length - 1 : 0) : Math.max(0, Math.min(all.length - 1, at + by))]
  if (next) { if (!next.hasAttribute('tabindex')) next.tabIndex = -1; next.focus(); next.scrollIntoView({ block: 'nearest' }) }
}

/** A mistake of ours must not leave a white page. */
class Guard extends Component<{ children: ComponentChildren }, { broken: boolean }> {
  state = { broken: false }
  componentDidCatch(e: unknown) { console.error(e); this.setState({ broken: true }) }
  render() {
    return this.state.broken
      ? <main class="center"><div class="empty" role="alert"><h2>{t('broken')}</h2><p><button type="button" class="btn" onClick={() => location.reload()}>{t('reload')}</button></p></div></main>
      : <>{this.props.children}</>
  }
}
