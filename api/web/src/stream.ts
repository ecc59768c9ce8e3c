// One conversation's event stream: a fetch reader that follows the journal,
// resumes by Last-Event-ID and never gives up until it is told to.
import { session } from './session'
import { Store } from './store'
import type { Frame } from './types'

const SILENCE = 45_000
const HIDDEN_GRACE = 30_000

export interface Sink {
  /** id is 0 for frames without one (deltas, and all but the last frame of a stored event). */
  frame(frame: Frame, id: number): void
  /** The cursor is of no use any more: read the state and answer its head. */
  resync(): Promise<number>
  gone(): void
}

export class Stream extends Store {
  connected = false
  /** Failed attempts since the last byte that arrived. */
  attempts = 0
  private stopped = false
  private abort = new AbortController()
  private wake: (() => void) | null = null
  private grace = 0
  /** Hidden for long: the connection is given back until the page is seen again. */
  private released = false
  private retry = 500

  constructor(private path: string, private cursor: number, private sink: Sink) {
    super()
    addEventListener('online', this.hurry)
    addEventListener('offline', this.cut)
    document.addEventListener('visibilitychange', this.seen)
    void this.run()
  }

  get ended(): boolean { return this.stopped }

  stop(): void {
    this.stopped = true
    clearTimeout(this.grace)
    removeEventListener('online', this.hurry)
    removeEventListener('offline', this.cut)
    document.removeEventListener('visibilitychange', this.seen)
    this.abort.abort()
    this.wake?.()
  }

  private hurry = () => this.wake?.()
  private cut = () => this.abort.abort()
  private seen = () => {
    clearTimeout(this.grace)
    this.released = false
    if (document.visibilityState === 'visible') this.hurry()
    else this.grace = window.setTimeout(() => { this.released = true; this.cut() }, HIDDEN_GRACE)
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      let polite = false
      this.abort = new AbortController()
      try { polite = await this.once() } catch { /* a broken connection is the normal case here */ }
      this.connected = false
      if (this.stopped) return
      if (!polite && !this.released) this.attempts++
      this.changed()
      await this.pause(polite)
    }
  }

  /** Waits; at once when the page is seen or the network is back. A hidden page waits for that. */
  private pause(polite: boolean): Promise<void> {
    const backoff = polite ? 100 : Math.min(15_000, this.retry * 2 ** Math.min(this.attempts - 1, 6))
    return new Promise((done) => {
      const timer = this.released ? 0 : window.setTimeout(() => this.wake?.(), backoff * (0.75 + Math.random() / 2))
      this.wake = () => { clearTimeout(timer); this.wake = null; done() }
    })
  }

  /** One connection. True when the server ended it politely. */
  private async once(): Promise<boolean> {
    const headers: Record<string, string> = { Accept: 'text/event-stream', Authorization: 'Bearer ' + session.token }
    if (this.cursor > 0) headers['Last-Event-ID'] = String(this.cursor)
    const token = session.token
    const res = await fetch(`${this.path}?after=${this.cursor}`, { headers, signal: this.abort.signal, cache: 'no-store' })
    if (res.status === 401) {
      if (token === session.token) session.expire()
      this.stop()
      return false
    }
    if (res.status === 404) { this.stop(); this.sink.gone(); return false }
    if (!res.ok || !res.body) throw new Error('stream ' + res.status)
    const reader = res.body.pipeThrough(new TextDecoderStream()).getReader()
    let silence = 0
    const alive = () => { clearTimeout(silence); silence = window.setTimeout(this.cut, SILENCE) }
    let rest = ''
    let polite = false
    try {
      for (alive(); ;) {
        const { value, done } = await reader.read()
        if (done) return polite
        alive()
        if (!this.connected) { this.connected = true; this.attempts = 0; this.changed() }
        rest += value
        // A CR at the very end may be half of a CRLF.
        const blocks = rest.replace(/\r\n/g, '\n').split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks) {
          const event = parse(block)
          if (event.retry) this.retry = Math.min(5000, event.retry / 4)
          // Others say bye because something fails: that is worth a pause.
          if (event.name === 'bye') polite = /reconnect|slow/.test(event.data)
          else if (event.data) await this.take(event)
          if (this.stopped) return true
        }
      }
    } finally {
      clearTimeout(silence)
      reader.cancel().catch(() => {})
    }
  }

  private async take(event: Parsed): Promise<void> {
    let frame: Frame
    try { frame = JSON.parse(event.data) } catch { return }
    if (frame.type === 'CUSTOM' && frame.name === 'erpilot.resync') {
      this.cursor = await this.sink.resync()
      this.abort.abort()
      return
    }
    if (event.id && event.id <= this.cursor) return
    this.sink.frame(frame, event.id)
    // An event counts as seen only with its last frame, which carries the id.
    if (event.id) this.cursor = event.id
  }
}

interface Parsed { name: string; data: string; id: number; retry: number }
function parse(block: string): Parsed {
  const out: Parsed = { name: '', data: '', id: 0, retry: 0 }
  const data: string[] = []
  for (const line of block.split('\n')) {
    if (line.startsWith(':')) continue
    const at = line.indexOf(':')
    const field = at < 0 ? line : line.slice(0, at)
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'id') out.id = Number(value) || 0
    else if (field === 'event') out.name = value
    else if (field === 'retry') out.retry = Number(value) || 0
  }
  out.data = data.join('\n')
  return out
}
