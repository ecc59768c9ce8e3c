// What a conversation looks like: a state and the events after it, folded.
//
// Every frame either replaces by its id or carries the seq of its event, so a
// frame that comes twice changes nothing. Nothing here touches the network.
import type { Call, Card, Frame, Message, Params, Pending, State } from './types'

export interface Item { kind: 'message' | 'call' | 'card' | 'question'; id: string }
export interface TurnView {
  id: string; n: number; status: string; queued: boolean; code?: string; params?: Params
  user?: Message; items: Item[]
}
export interface MessageView extends Message { stored: boolean; attempt: number }
export interface CallView extends Call { phase: string; outcome?: string; code?: string; params?: Params; ms?: number; summary?: string; rows?: number; total?: number }
/** A question, or a form to be filled in: then form is there and question its title. */
export interface QuestionView extends Pending { question: { question: string; options?: string[] | null; allow_free_text: boolean } }
export interface Notice { code: string; params?: Params; by?: string; channel?: string; seq: number }
/** What a person may want to hear about. */
export type News = '' | 'answered' | 'stopped' | 'failed' | 'approval' | 'question' | 'expired' | 'executed' | 'refused' | 'settled' | 'login'

const FINAL = ['executed', 'refused', 'rejected', 'cancelled', 'expired', 'completed', 'abandoned']
export const final = (status: string): boolean => FINAL.includes(status)

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/** Puts a delta where it belongs; offsets are bytes of UTF-8. Null when something before it is missing. */
export function place(text: string, offset: number, delta: string): string | null {
  if (offset === 0) return delta
  const bytes = encoder.encode(text)
  if (offset === bytes.length) return text + delta
  return offset > bytes.length ? null : decoder.decode(bytes.subarray(0, offset)) + delta
}

export class Transcript {
  title = ''
  head = 0
  model = ''
  demo = false
  turns: TurnView[] = []
  messages = new Map<string, MessageView>()
  calls = new Map<string, CallView>()
  cards = new Map<string, Card>()
  questions = new Map<string, QuestionView>()
  notices = new Map<string, Notice>()

  static from(state: State): Transcript {
    const x = new Transcript()
    x.title = state.conversation.title
    x.head = state.head
    x.model = state.model
    x.demo = state.demo
    for (const turn of state.turns ?? []) Object.assign(x.turn(turn.turn_id), { n: turn.n, status: turn.status, queued: !!turn.queued, code: turn.error_code })
    const rank = new Map<string, number>()
    const answers = new Map<string, Message>()
    const add = (turn: string | undefined, kind: Item['kind'], id: string, order: number) => {
      rank.set(kind + id, order)
      x.item(turn ?? '', kind, id)
    }
    for (const m of state.messages ?? []) {
      if (m.role === 'user') {
        if (m.answers) answers.set(m.answers, m)
        else x.turn(m.turn_id).user = m
        continue
      }
      x.messages.set(m.message_id, { ...m, stored: true, attempt: 0 })
      add(m.turn_id, 'message', m.message_id, m.step * 1000)
    }
    for (const m of state.streaming ?? []) {
      if (x.messages.has(m.message_id)) continue
      x.messages.set(m.message_id, { ...m, stored: false, attempt: 0 })
      add(m.turn_id, 'message', m.message_id, (m.step || 900) * 1000)
    }
    for (const c of state.calls ?? []) {
      x.calls.set(c.call_id, { ...c, phase: c.status, ...outcome(c) })
      add(c.turn_id, 'call', c.call_id, c.step * 1000 + 1 + c.position * 2)
    }
    const after = (call?: string) => (call && rank.has('call' + call) ? rank.get('call' + call)! + 1 : 1e9)
    for (const p of state.pending ?? []) {
      if (!p.question && !p.form) continue
      x.questions.set(p.pending_id, { ...p, question: p.question ?? { question: p.form!.title, allow_free_text: false } })
      x.patchCall(p.call_id, { phase: 'pending' })
      add(p.turn_id, 'question', p.pending_id, after(p.call_id))
    }
    // Only open pendings are listed; a settled question is still in its call.
    for (const c of state.calls ?? []) {
      const q = (c.tool === 'ask_user' || c.tool === 'collect_form') && c.pending_id && !x.questions.has(c.pending_id) && asked(c, answers.get(c.pending_id))
      if (!q) continue
      x.questions.set(q.pending_id, q)
      add(q.turn_id, 'question', q.pending_id, after(q.call_id))
    }
    for (const c of state.cards ?? []) {
      x.cards.set(c.op_id, c)
      add(c.turn_id, 'card', c.op_id, after(c.call_id))
    }
    for (const turn of x.turns) turn.items.sort((a, b) => rank.get(a.kind + a.id)! - rank.get(b.kind + b.id)!)
    x.turns.sort((a, b) => a.n - b.n)
    return x
  }

  turn(id: string): TurnView {
    let turn = this.turns.find((x) => x.id === id)
    if (!turn) {
      const n = id ? Math.max(0, ...this.turns.map((x) => x.n)) + 1 : 0
      this.turns.push((turn = { id, n, status: '', queued: false, items: [] }))
    }
    return turn
  }
  private item(turn: string, kind: Item['kind'], id: string): void {
    if (this.turns.some((x) => x.items.some((i) => i.kind === kind && i.id === id))) return
    // A proposal without a turn belongs where the conversation is.
    const owner = turn ? this.turn(turn) : this.turns.at(-1) ?? this.turn('')
    owner.items.push({ kind, id })
  }

  get running(): TurnView | undefined { return this.turns.find((x) => x.status === 'running') }
  get openQuestion(): QuestionView | undefined { return [...this.questions.values()].filter((x) => x.status === 'open' && !x.form).at(-1) }

  /** Takes a card in; since is the status that an answer of HTTP was asked at: the stream may have been faster. */
  put(card: Card, since?: string): void {
    const old = this.cards.get(card.op_id)
    if (since && old && old.status !== since && !final(card.status)) return
    // The row is the truth, but an older picture of it must not undo its end.
    if (old && final(old.status) && !final(card.status)) return
    // An answer of HTTP may come after the stream has told that it is ready.
    if (old && old.status !== 'draft' && card.status === 'draft') return
    this.cards.set(card.op_id, { ...old, ...card, replaced_by: card.replaced_by ?? old?.replaced_by })
    this.item(card.turn_id ?? '', 'card', card.op_id)
    const before = card.replaces && this.cards.get(card.replaces)
    if (before && before.replaced_by !== card.op_id) this.cards.set(before.op_id, { ...before, replaced_by: card.op_id })
  }
  private patchCard(id: string, patch: Partial<Card>): void {
    const card = this.cards.get(id)
    if (!card || (final(card.status) && patch.status && !final(patch.status))) return
    // Without a status only what stands beside it has changed.
    if (!patch.status) patch = { ...patch, status: card.status }
    this.cards.set(id, { ...card, ...patch })
  }
  private patchCall(id: string | undefined, patch: Partial<CallView>): void {
    const call = id && this.calls.get(id)
    if (call) this.calls.set(call.call_id, { ...call, ...patch })
  }

  /** Folds one frame in; id is the event's seq on its last frame, else 0. */
  apply(f: Frame, id: number): News {
    if (id && id <= this.head) return ''
    const seq = Number(f.value?.seq ?? f.content?.seq ?? 0)
    const news = seq && seq <= this.head ? '' : this.fold(f)
    if (id) this.head = id
    return news
  }

  private fold(f: Frame): News {
    switch (f.type) {
      case 'CUSTOM': return this.custom(String(f.name).replace(/^erpilot\./, ''), f.value ?? {})
      case 'RUN_STARTED': return this.status(turnOf(f.runId), 'running')
      case 'RUN_FINISHED': {
        const kind = f.outcome?.type
        return this.status(turnOf(f.runId), kind === 'interrupt' ? 'waiting' : kind === 'cancelled' ? 'stopped' : 'answered')
      }
      case 'RUN_ERROR': {
        const turn = this.turn(turnOf(f.runId))
        if (turn.status === 'limit' || turn.status === 'failed') return ''
        turn.code ??= f.code
        return this.status(turn.id, 'failed')
      }
      case 'TEXT_MESSAGE_CONTENT': if (f.rawEvent?.turn_id) this.delta('text', f.messageId, f.rawEvent, f.delta); return ''
      case 'ACTIVITY_SNAPSHOT': return this.activity(f)
      case 'ACTIVITY_DELTA': {
        const known = this.cards.get(f.messageId)?.status
        for (const p of f.patch ?? []) if (p.path === '/status') this.patchCard(f.messageId, { status: p.value })
        return this.waits(f.messageId, known)
      }
      default: return ''
    }
  }

  private status(id: string, status: string): News {
    const turn = this.turn(id)
    if (status === 'running') Object.assign(turn, { queued: false, code: undefined, params: undefined })
    if (turn.status === status) return ''
    turn.status = status
    return status === 'answered' || status === 'stopped' || status === 'failed' ? status : status === 'waiting' ? 'settled' : ''
  }

  private activity(f: Frame): News {
    const content = f.content ?? {}
    if (f.activityType === 'erpilot.write_proposal') {
      const fresh = !this.cards.has(content.op_id)
      this.put(content as Card)
      return fresh && content.status === 'awaiting_approval' ? 'approval' : ''
    }
    const form = f.activityType === 'erpilot.form'
    if (!form && f.activityType !== 'erpilot.question' || this.questions.has(content.pending_id)) return ''
    this.questions.set(content.pending_id, form
      ? { ...content, kind: 'form', status: 'open', form: { form: content.form, title: content.title, values: content.values }, question: { question: content.title, allow_free_text: false } }
      : { ...content, kind: 'question', status: 'open', question: { question: content.question, options: content.options, allow_free_text: content.allow_free_text } })
    this.patchCall(content.call_id, { phase: 'pending' })
    this.item(content.turn_id, 'question', content.pending_id)
    return 'question'
  }

  private delta(part: 'text' | 'reasoning', id: string, at: { turn_id: string; attempt: number; offset: number }, delta: string): void {
    let m = this.messages.get(id)
    if (m?.stored || (m && at.attempt < m.attempt)) return
    if (!m || at.attempt > m.attempt) m = { message_id: id, turn_id: at.turn_id, role: 'assistant', text: '', reasoning: '', step: 0, stored: false, attempt: at.attempt }
    const text = place(m[part] ?? '', at.offset, delta)
    if (text === null) return
    this.messages.set(id, { ...m, [part]: text })
    this.item(at.turn_id, 'message', id)
  }

  private custom(name: string, v: any): News {
    switch (name) {
      case 'user_message': {
        const turn = this.turn(v.turn_id)
        turn.user = { message_id: v.message_id, turn_id: v.turn_id, role: 'user', text: v.text, step: 0, answers: v.answers, created_at: v.at }
        turn.n = v.n || turn.n
        if (v.queued && !turn.status) Object.assign(turn, { queued: true, status: 'waiting' })
        this.turns.sort((a, b) => a.n - b.n)
        return ''
      }
      case 'message':
        this.messages.set(v.message_id, { ...v, role: 'assistant', stored: true, attempt: 0 })
        this.item(v.turn_id, 'message', v.message_id)
        return ''
      case 'message_reset': {
        const m = this.messages.get(v.message_id)
        if (m && !m.stored && v.attempt >= m.attempt) this.messages.set(m.message_id, { ...m, text: '', reasoning: '', attempt: v.attempt })
        return ''
      }
      case 'reasoning': this.delta('reasoning', v.message_id, v, v.delta); return ''
      case 'tool_started':
        if (!this.calls.has(v.call_id)) this.calls.set(v.call_id, { ...v, step: 0, position: 0, status: 'started', phase: 'started' })
        this.item(v.turn_id, 'call', v.call_id)
        return ''
      case 'tool_finished':
        this.patchCall(v.call_id, { phase: 'finished', outcome: v.status, failed: v.status === 'error', code: v.code, params: v.params, ms: v.ms, summary: v.summary, rows: v.rows, total: v.total })
        return ''
      case 'tool_executing':
        this.patchCall(v.call_id, { phase: 'executing' })
        this.patchCard(v.op_id, { status: 'executing' })
        return ''
      case 'approval_pending': this.patchCall(v.call_id, { phase: 'pending' }); return ''
      case 'approval_resolved':
        this.patchCall(v.call_id, { phase: 'resolved' })
        this.patchCard(v.op_id, { status: v.decision, decided: { status: v.decision, by: v.by, channel: v.channel, at: v.at }, decided_by_name: v.by_name })
        return v.decision === 'expired' ? 'expired' : 'settled'
      case 'op_state':
      case 'op_result': return this.operation(v)
      case 'answered': {
        const q = this.questions.get(v.pending_id)
        if (q) this.questions.set(q.pending_id, { ...q, status: v.status, answer: v.answer })
        this.patchCall(v.call_id, { phase: 'finished', outcome: v.status })
        return ''
      }
      case 'decision_refused': this.notices.set(v.op_id, v); return ''
      case 'titled': this.title = v.title; return ''
      case 'login_expired': return 'login'
      case 'turn_ended': {
        const turn = this.turn(v.turn_id)
        Object.assign(turn, { queued: false, code: v.code, params: v.params })
        return this.status(turn.id, v.status === 'limit' ? 'limit' : v.status) || (v.status === 'limit' ? 'failed' : '')
      }
      default: return '' // a newer server may say more than we know
    }
  }

  /** A proposal is staged first, and waits for the person once its workflow runs. */
  private waits(id: string, known?: string): News {
    return known && known !== 'awaiting_approval' && this.cards.get(id)?.status === 'awaiting_approval' ? 'approval' : ''
  }

  private operation(v: any): News {
    const patch: Partial<Card> = { status: v.status }
    for (const k of ['decided', 'bill', 'link', 'refusal', 'replaced_by'] as const) if (v[k]) (patch as any)[k] = v[k]
    const known = this.cards.get(v.op_id)?.status
    this.patchCard(v.op_id, patch)
    if (this.waits(v.op_id, known)) return 'approval'
    if (known === v.status && !v.bill && !v.refusal) return ''
    if (v.status === 'executed' || v.status === 'refused' || v.status === 'expired') return v.status
    return v.status === 'needs_login' ? 'login' : ''
  }
}

const turnOf = (run: string): string => run.slice(0, Math.max(0, run.lastIndexOf('.')))

/** What a stored result tells of a finished call. */
function outcome(c: Call): Partial<CallView> {
  const r = (c.result && typeof c.result === 'object' ? c.result : {}) as any
  const data = r.data && typeof r.data === 'object' ? r.data : r
  return {
    outcome: c.status !== 'finished' ? undefined : typeof r.status === 'string' ? r.status : c.failed ? 'error' : 'ok',
    code: r.code ?? r.error?.code, total: typeof data.total === 'number' ? data.total : undefined,
    rows: Array.isArray(data.rows) ? data.rows.length : typeof data.rows === 'number' ? data.rows : undefined,
    ms: typeof r.ms === 'number' ? r.ms : undefined, params: r.params, summary: typeof r.summary === 'string' ? r.summary : undefined,
  }
}

/** A question that was settled before the page was loaded. */
function asked(c: Call, answer?: Message): QuestionView | null {
  if (c.status !== 'finished' && !answer) return null
  try {
    const a = JSON.parse(c.arguments)
    return { pending_id: c.pending_id!, turn_id: c.turn_id, call_id: c.call_id, kind: a.form ? 'form' : 'question', deadline: '', answer: answer?.text,
      status: answer ? 'answered' : outcome(c).outcome === 'cancelled' ? 'cancelled' : 'expired',
      ...(a.form ? { form: { form: a.form, title: a.title, values: a.values } } : {}),
      question: { question: String(a.question ?? a.title ?? ''), options: a.options, allow_free_text: true } }
  } catch { return null }
}
