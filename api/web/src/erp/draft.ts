// What is being keyed in: values, lines, what the ERP makes of them, what is
// wrong with them, and the one press of save that is on its way. Pages draw it.
import { asProblem, type Problem } from '../api'
import { forms } from '../records'
import { guard } from '../route'
import { Store, uuid } from '../store'
import type { Field, FieldProblem, Form, Preview, Row, Saved } from '../types'
import { begin, cells, type Line, line, number, rowsOf, text, writable } from './values'
import { erp } from './wire'

export interface Setup {
  form: Form; action: string; fields: Field[]; target?: string
  /** The record as it is, for a change. */
  record?: Row
  /** Values to begin with, and the staging that they come from. */
  prefill?: Row; staging?: string
  /** Further keys of the payload, asked for at each use. */
  extra?: () => Row
  /** Where the values go instead of into the ERP: to the agent, who asked for them. */
  answer?: (payload: Row) => Promise<void>
  /** Unsaved input is asked about before it is left. */
  guarded?: boolean
}

export class Draft extends Store {
  values: Row = {}
  lines: Record<string, Line[]> = {}
  /** Field or "lines.<$>.<column>" → what is wrong with it. */
  problems = new Map<string, string>()
  failure: Problem | null = null
  preview: Preview | null = null
  looking = false
  /** What the last look failed with, where no field is to blame. */
  blind: Problem | null = null
  /** What the last look still lacks, where nobody has been yet: no reproach, but the reason why there are no totals. */
  lacks: { field: Field; line?: number; detail: string }[] = []
  saving = false
  /** Somebody else's newer version, until one of both is chosen. */
  theirs: Row | null = null
  readonly prefilled = new Set<string>()
  base: Row
  private touched = new Set<string>()
  private timer = 0
  private asked = 0
  private sent = ''
  private token = ''
  private clean = ''

  readonly setup: Setup

  constructor(setup: Setup) {
    super()
    // What is fixed once a record exists is read only from then on.
    this.setup = setup.action === 'update' ? { ...setup, fields: setup.fields.map((f) => (f.fixed ? { ...f, read_only: true } : f)) } : setup
    this.base = setup.record ?? {}
    this.fill(this.base)
    for (const [k, v] of Object.entries(setup.prefill ?? {})) {
      const f = this.field(k)
      if (!f || f.read_only) continue
      this.prefilled.add(k)
      if (f.type === 'lines') this.lines[k] = rowsOf(v).map((r) => line(r))
      else this.values[k] = text(v)
    }
    this.clean = this.state()
  }

  get updating(): boolean { return this.setup.action === 'update' }
  get version(): number | undefined { const v = Number(this.base.version); return this.base.version !== undefined && !isNaN(v) ? v : undefined }
  field(name: string): Field | undefined { return this.setup.fields.find((f) => f.name === name) }

  private fill(from: Row): void {
    for (const f of this.setup.fields) {
      if (f.type === 'lines') this.lines[f.name] = rowsOf(from[f.name]).map((r) => line(r))
      else this.values[f.name] = this.setup.record ? text(from[f.name]) : begin(f)
      if (f.type === 'lines' && !this.setup.record && this.lines[f.name]!.length === 0) this.lines[f.name] = [this.blank(f)]
    }
  }
  private blank(f: Field): Line { return line(Object.fromEntries((f.lines ?? []).filter(writable).map((c) => [c.name, begin(c)]))) }

  set(name: string, value: string): void {
    this.values[name] = value
    this.edited(name)
  }
  setCell(field: string, $: number, column: string, value: string): void {
    const row = this.lines[field]?.find((l) => l.$ === $)
    if (row) row.values[column] = value
    this.edited(`${field}.${$}.${column}`)
  }
  add(field: string): number {
    const row = this.blank(this.field(field)!)
    this.lines[field] = [...(this.lines[field] ?? []), row]
    this.edited(field)
    return row.$
  }
  remove(field: string, $: number): void {
    this.lines[field] = (this.lines[field] ?? []).filter((l) => l.$ !== $)
    this.edited(field)
  }
  /** Something that extra tells has changed. */
  edited(path: string): void {
    this.touched.add(path)
    this.forget(path)
    if (this.setup.guarded) guard.hold(this.dirty)
    this.now()
    this.look(350)
  }
  /** What was wrong with a field, and with what it holds, has been dealt with. */
  forget(path: string): void {
    for (const p of [...this.problems.keys()]) if (p === path || p.startsWith(path + '[')) this.problems.delete(p)
    if (this.problems.size === 0 && this.failure?.fields.length) this.failure = null
  }
  get dirty(): boolean { return this.state() !== this.clean }
  private state(): string { return JSON.stringify([this.payload(), this.setup.extra?.()]) }
  /** The screen is left, or what was on it is saved. */
  close(): void {
    clearTimeout(this.timer)
    this.asked++
    if (this.setup.guarded) guard.hold(false)
  }

  /** Lines in which something was keyed in. */
  kept(f: Field): Line[] {
    const columns = (f.lines ?? []).filter(writable)
    return (this.lines[f.name] ?? []).filter((l) => columns.some((c) => text(l.values[c.name]) !== begin(c)))
  }
  /** Whether the value is another one than in the record. */
  differs(f: Field): boolean {
    return f.type === 'lines'
      ? JSON.stringify(this.kept(f).map((l) => cells(f, l.values))) !== JSON.stringify(rowsOf(this.base[f.name]).map((r) => cells(f, r)))
      : number(f, text(this.values[f.name])) !== text(this.base[f.name])
  }
  /** What is sent: all that is filled in, or for a change what is another. */
  payload(): Row {
    const out: Row = {}
    for (const f of this.setup.fields) {
      if (f.read_only || (this.updating && !this.differs(f))) continue
      if (f.type === 'lines') { if (this.updating || this.kept(f).length) out[f.name] = this.kept(f).map((l) => cells(f, l.values)) }
      else if (this.updating || text(this.values[f.name])) out[f.name] = number(f, text(this.values[f.name]))
    }
    return out
  }
  private get whole(): Row { return { ...this.payload(), ...this.setup.extra?.() } }

  /** Asks the ERP what it would make of this; a later question drops the answer. */
  look(wait = 0): void {
    clearTimeout(this.timer)
    const mine = ++this.asked
    if (this.updating && Object.keys(this.whole).length === 0) {
      Object.assign(this, { preview: null, looking: false, blind: null, lacks: [] })
      this.now()
      return
    }
    this.looking = true
    this.timer = window.setTimeout(() => {
      erp.preview(this.setup.form.form, this.setup.action, this.setup.target, this.whole).then((p) => {
        if (mine !== this.asked) return
        Object.assign(this, { preview: p, looking: false, blind: null, lacks: [] })
        for (const path of this.touched) this.forget(path)
        this.now()
      }, (e) => {
        if (mine !== this.asked) return
        const p = asProblem(e)
        Object.assign(this, { preview: null, looking: false, blind: p.fields.length ? null : p })
        this.mark(p.fields, true)
        this.lacks = p.fields.flatMap((x) => this.lack(x))
        this.now()
      })
    }, wait)
    this.now()
  }

  /** Shows what is wrong where it is wrong; while keying in only where one has been. */
  private mark(all: FieldProblem[], touchedOnly: boolean): void {
    if (!touchedOnly) this.problems.clear()
    for (const x of all) {
      const path = this.place(x.field)
      if (!touchedOnly || this.touched.has(path) || this.touched.has(path.replace(/\[.*/, ''))) this.problems.set(path, x.detail)
    }
  }
  /** A problem that stands at no field yet, by the label of its field. */
  private lack(x: FieldProblem): Draft['lacks'] {
    if (this.problems.has(this.place(x.field))) return []
    const m = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(x.field)
    const field = m ? this.field(m[1]!)?.lines?.find((c) => c.name === m[3]) : this.field(x.field)
    return field ? [{ field, line: m ? Number(m[2]) : undefined, detail: x.detail }] : []
  }
  /** "lines[2].quantity" counts the lines that were sent, from 1. */
  private place(path: string): string {
    const m = /^(\w+)\[(\d+)\](?:\.(\w+))?$/.exec(path)
    const f = m && this.field(m[1]!)
    if (!m || f?.type !== 'lines') return path
    const row = this.kept(f)[Number(m[2]) - 1] ?? this.lines[f.name]?.[Number(m[2]) - 1]
    return row ? [m[1], row.$, m[3]].filter((x) => x !== undefined).join('.') : m[1]!
  }

  /** One press of save. Null when nothing was written; the draft then tells why. */
  async save(more: Row = {}): Promise<(Saved & { waits?: boolean }) | null> {
    if (this.saving) return null
    clearTimeout(this.timer)
    this.asked++
    const { form, action, target, staging } = this.setup
    const body = { action, target, payload: { ...this.whole, ...more }, version: this.version, staging }
    const json = JSON.stringify(body)
    // A press whose answer got lost is sent again under its token; else each press has its own.
    if (json !== this.sent) { this.sent = json; this.token = uuid() }
    Object.assign(this, { saving: true, looking: false, failure: null })
    this.now()
    try {
      if (this.setup.answer) {
        await this.setup.answer(body.payload)
        this.close()
        return { status: 'answered' }
      }
      const { status, data } = await erp.save(form.form, { ...body, token: this.token })
      this.close()
      return { ...data, waits: status === 202 }
    } catch (e) {
      const p = asProblem(e)
      if (!p.again) this.sent = ''
      this.failure = p
      this.mark(p.fields, false)
      if (p.code === 'record_changed' && target) await this.meet(form.form, target)
      return null
    } finally {
      this.saving = false
      this.now()
    }
  }

  /** Reads what somebody else has made of the record. */
  private async meet(form: string, key: string): Promise<void> {
    try {
      const found = await forms.record(form, key)
      if (text(found.version) !== text(this.base.version)) this.theirs = found
    } catch { /* the refusal itself says what happened */ }
  }
  /** Goes on from their version; keep carries over what was changed here. */
  settle(keep: boolean): void {
    const mine = this.setup.fields.filter((f) => writable(f) && this.differs(f)).map((f) => [f, this.values[f.name], this.lines[f.name]] as const)
    this.base = this.theirs ?? this.base
    this.theirs = null
    this.failure = null
    this.problems.clear()
    this.fill(this.base)
    this.clean = this.state()
    if (keep) for (const [f, v, l] of mine) { if (f.type === 'lines') this.lines[f.name] = l!; else this.values[f.name] = v }
    if (this.setup.guarded) guard.hold(this.dirty)
    this.look()
  }
}
