// A person's word on one pending. A decision belongs to the exact picture that
// was on the screen: it is keyed by operation, pending, revision and verb, and
// never moves to another card. Its id is made once and kept over retries.
import { asProblem, call, get, post, Problem } from './api'
import { Store, uuid } from './store'
import type { Card } from './types'

/** Shows a card; since is the status that the answer was asked at. */
export type Put = (c: Card, since?: string) => void
export interface Desk { busy: '' | 'approve' | 'cancel' | 'repropose' | 'retry'; queued: boolean; problem: Problem | null }

class Decisions extends Store {
  private desks = new Map<string, Desk>()
  private ids = new Map<string, string>()

  of(card: Card): Desk {
    const key = `${card.op_id}|${card.pending_id}`
    let desk = this.desks.get(key)
    if (!desk) this.desks.set(key, (desk = { busy: '', queued: false, problem: null }))
    return desk
  }

  async decide(card: Card, verb: 'approve' | 'cancel', put: Put, comment?: string): Promise<void> {
    const desk = this.of(card)
    if (desk.busy) return
    const key = [card.op_id, card.pending_id, card.revision, verb].join('|')
    if (!this.ids.has(key)) this.ids.set(key, uuid())
    this.start(desk, verb)
    try {
      const { status, data } = await call<Partial<Card>>('POST', `/api/op/${card.op_id}/${verb === 'approve' ? 'confirm' : 'cancel'}`, {
        pending_id: card.pending_id, revision: card.revision, digest: card.digest, decision_id: this.ids.get(key), ...(comment ? { comment } : {}),
      })
      desk.queued = status === 202
      merge(card, data, put)
    } catch (e) {
      desk.problem = asProblem(e)
      // Somebody or something else was first: show what became of it.
      if (desk.problem.status === 409) await this.look(card, put)
    }
    this.end(desk)
  }

  /** A fresh preview of a refused change; the new card comes back or by the stream. */
  async again(card: Card, how: 'repropose' | 'retry', put: Put): Promise<void> {
    const desk = this.of(card)
    if (desk.busy) return
    this.start(desk, how)
    const key = `${card.op_id}|${card.pending_id}|${how}`
    if (!this.ids.has(key)) this.ids.set(key, uuid())
    try {
      const data = await post<Partial<Card>>(`/api/op/${card.op_id}/${how}`, {}, this.ids.get(key))
      if (how === 'retry') this.ids.delete(key)
      merge(card, data, put)
      if (how === 'repropose' && data?.op_id) show(data.op_id)
    } catch (e) {
      desk.problem = asProblem(e)
      if (!desk.problem.again) this.ids.delete(key)
    }
    this.end(desk)
  }

  async look(card: Card, put: Put): Promise<void> {
    try { merge(card, await get<Partial<Card>>(`/api/op/${card.op_id}`), put) } catch { /* the stream will tell */ }
  }

  private start(desk: Desk, busy: Desk['busy']): void {
    Object.assign(desk, { busy, problem: null })
    this.now()
  }
  private end(desk: Desk): void {
    desk.busy = ''
    this.now()
  }
}
export const decisions = new Decisions()

/** Takes a whole card, or what an answer says of this one. */
function merge(card: Card, data: any, put: Put): void {
  const found = data?.card ?? data?.operation ?? data
  if (found?.op_id && found.preview) { put(found, found.op_id === card.op_id ? card.status : undefined); return }
  if (typeof found?.status !== 'string' || (found.op_id && found.op_id !== card.op_id)) return
  const next = { ...card, status: found.status }
  for (const k of ['decided', 'bill', 'link', 'refusal', 'replaced_by'] as const) if (found[k]) (next as any)[k] = found[k]
  put(next, card.status)
}

/** Brings a card into sight once it is drawn. */
function show(op: string): void {
  setTimeout(() => document.getElementById('op-' + op)?.scrollIntoView({ block: 'nearest' }), 80)
}
