// An open conversation: its transcript, its stream and what a person does to it.
import { asProblem, call, clock, get, post, Problem, rows } from './api'
import { t } from './i18n'
import { session } from './session'
import { announcer, Store, uuid } from './store'
import { Stream } from './stream'
import { type News, Transcript } from './transcript'
import type { Card, Frame, State, Summary } from './types'

/** The conversation that was begun a moment ago. */
export const asked = { id: '' }

export interface Draft { text: string; key: string }

export class Conversation extends Store {
  view = new Transcript()
  stream: Stream | null = null
  loaded = false
  missing = false
  problem: Problem | null = null
  /** Text that was sent and is not in the journal yet. */
  sending: Draft | null = null
  busy = ''
  /** The question that the composer does not answer although it is open. */
  detached = ''
  private closed = false

  constructor(readonly id: string, private onNews: (n: News) => void) {
    super()
    void this.open()
  }

  close(): void { this.closed = true; this.stream?.stop() }

  async open(): Promise<void> {
    this.stream?.stop()
    this.stream = null
    this.problem = null
    this.changed()
    try {
      const head = await this.load()
      if (this.closed) return
      const unsubscribe = (s: Stream) => s.watch(() => this.changed())
      this.stream = new Stream(`/api/conversations/${this.id}/events`, head, {
        frame: (f, id) => this.take(f, id),
        resync: () => this.load(),
        gone: () => { this.missing = true; this.changed() },
      })
      unsubscribe(this.stream)
    } catch (e) {
      const p = asProblem(e)
      if (p.status === 404) this.missing = true
      else if (p.status !== 401) {
        this.problem = p
        if (p.again && !this.closed) setTimeout(() => { if (!this.closed && !this.loaded) void this.open() }, 3000)
      }
      this.changed()
    }
  }

  private async load(): Promise<number> {
    const state = await get<State>(`/api/conversations/${this.id}/state`)
    clock.set(state.server_now, true)
    this.view = Transcript.from(state)
    const first = !this.loaded
    this.loaded = true
    // What was asked on the empty page may be answered before the stream opens.
    if (first && asked.id === this.id) {
      const news = this.view.turns.at(-1)?.status === 'answered' ? 'answered' : this.view.openQuestion ? 'question' : [...this.view.cards.values()].some((c) => c.status === 'awaiting_approval') ? 'approval' : 'settled'
      this.tell(news)
    }
    asked.id = ''
    session.labelled(state.model, state.demo)
    this.changed()
    return state.head
  }

  private take(f: Frame, id: number): void {
    const news = this.view.apply(f, id)
    if (f.type === 'CUSTOM' && f.name === 'erpilot.user_message' && this.sending?.text === f.value?.text) this.sending = null
    if (f.name === 'erpilot.login_expired' && !f.value?.op_id) session.expire()
    if (f.name === 'erpilot.answered' && this.sending?.text === f.value?.answer) this.sending = null
    if (news) this.tell(news)
    else if (f.name === 'erpilot.titled' || f.name === 'erpilot.answered') this.onNews('settled')
    this.changed()
  }

  private tell(news: News): void {
    const says: Partial<Record<News, string>> = {
      answered: t('say.answered'), stopped: t('say.stopped'), failed: t('say.failed'), approval: t('say.approval'), question: t('say.question'),
      expired: t('say.expired'), executed: t('say.executed'), refused: t('say.refused'), login: t('say.login'),
    }
    const text = says[news]
    if (text) announcer.say(text)
    this.onNews(news)
  }

  put = (card: Card, since?: string): void => { this.view.put(card, since); this.changed() }

  /** Sends a message; the same text after a failure goes with the same key. */
  async send(text: string, key: string): Promise<void> {
    this.sending = { text, key }
    this.problem = null
    this.changed()
    const question = this.view.openQuestion?.pending_id
    // "-" says that the message answers no question although one is open.
    const answers = question && (question === this.detached ? '-' : question)
    try {
      await call('POST', `/api/conversations/${this.id}/messages`, answers === undefined ? { text } : { text, answers }, key)
      // The journal shows it in a moment; a lost stream must not leave a ghost.
      setTimeout(() => { if (this.sending?.key === key) { this.sending = null; this.changed() } }, 4000)
    } catch (e) {
      this.sending = null
      this.changed()
      throw e
    }
  }

  /** Runs one request at a time and keeps its problem for the screen. */
  private async act(name: string, what: () => Promise<unknown>): Promise<void> {
    if (this.busy) return
    this.busy = name
    this.problem = null
    this.changed()
    try { await what() } catch (e) { if (asProblem(e).status !== 401) this.problem = asProblem(e) }
    this.busy = ''
    this.changed()
  }
  stop(): Promise<void> { return this.act('stop', () => post(`/api/conversations/${this.id}/stop`)) }
  resume(): Promise<void> { return this.act('resume', () => post(`/api/conversations/${this.id}/resume`)) }
  answer(pending: string, answer: string): Promise<void> {
    return this.act(pending, () => post(`/api/pending/${pending}/answer`, { answer }, uuid()))
  }
}

/** The list beside every screen. */
export class Conversations extends Store {
  list: Summary[] = []
  /** Operations that wait for this person's decision, in any conversation. */
  inbox = 0
  loaded = false
  problem: Problem | null = null
  private soon = 0

  async refresh(): Promise<void> {
    clearTimeout(this.soon)
    if (!session.token || session.expired) return
    try {
      const [list, open] = await Promise.all([get('/api/conversations'), get('/api/op?status=awaiting_approval')])
      this.list = rows(list)
      this.inbox = rows(open).length
      this.loaded = true
      this.problem = null
    } catch (e) { this.problem = asProblem(e) }
    this.changed()
  }
  /** Several events come together: ask once. */
  refreshSoon(): void {
    clearTimeout(this.soon)
    this.soon = window.setTimeout(() => void this.refresh(), 250)
  }
  /** All that waits here: decisions and questions. */
  get pending(): number { return Math.max(this.inbox, this.list.reduce((n, c) => n + (c.pending_count || 0), 0)) }
}
export const conversations = new Conversations()
