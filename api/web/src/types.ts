// The nouns of the wire, as schema/chat, schema/operation, schema/erp and
// schema/event write them.

export interface Label { zh: string; en: string }
export interface User {
  user_id: string; username: string; display_name: string; locale?: string; time_zone?: string; roles?: string[] | null
  tenant?: { brand_id: string; subsidiary_id: string }
}
export interface TenantOption { brand_id: string; subsidiary_id: string; name: Label }
/** tenant is "<brand>.<subsidiary>". */
export interface DemoLogin { username: string; password: string; name: string; tenant: string }
export interface LoginOptions { tenants: TenantOption[]; demo_logins?: DemoLogin[] | null; model?: string; demo?: boolean }

export interface Summary {
  conversation_id: string; title: string; updated_at: string; pending_count: number; nearest_deadline?: string; run?: string
}
export interface Message {
  message_id: string; turn_id: string; role: string; text: string; step: number; answers?: string; created_at?: string
  reasoning?: string; model?: string
}
export interface Call {
  call_id: string; turn_id: string; step: number; position: number; tool: string; effect: string; risk: string
  arguments: string; status: string; result?: unknown; failed?: boolean; pending_id?: string
}
export interface Turn { turn_id: string; n: number; status: string; queued?: boolean; error_code?: string }
export interface Question { question: string; options?: string[] | null; allow_free_text: boolean }
/** A form of the ERP that the agent wants filled in. */
export interface AskedForm { form: string; title: string; values?: Record<string, unknown> }
export interface Pending {
  pending_id: string; turn_id?: string; call_id?: string; op_id?: string; kind: string; status: string; deadline: string
  question?: Question; form?: AskedForm; answer?: string
}
export interface State {
  conversation: Summary; messages?: Message[] | null; turns?: Turn[] | null; calls?: Call[] | null; cards?: Card[] | null
  pending?: Pending[] | null; streaming?: Message[] | null; head: number; server_now: string; model: string; demo: boolean
}

export interface Fact { kind: string; form: string; key: string; field: string; sub?: string; label: Label; object: string; value: string }
export interface Refusal { code: string; fact?: Fact; old?: string; new?: string; detail?: string }
export interface Diff { field: string; label: Label; type?: string; object?: string; before: string; after: string; derived?: boolean }
export interface Line {
  product: string; product_name: string; unit: string; quantity: string; base_price: string; discount: string
  unit_price: string; amount: string; warehouse: string; stock_before: string; stock_after: string
}
export interface Preview {
  form: string; form_label: Label; action: string; action_label: Label; object: string; target?: string
  diffs?: Diff[] | null; lines?: Line[] | null; total?: string; currency?: string; notes?: Label[] | null
  batch?: boolean; provisional?: boolean; payload?: Row | null
}
export interface Outcome { status: string; by?: string; channel?: string; at: string }
export interface Capabilities { dry_run: boolean; idempotent_execute: boolean; fence: boolean; facts_under_lock: boolean }
export interface Card {
  op_id: string; pending_id: string; call_id?: string; conversation_id?: string; turn_id?: string; revision: number
  digest: string; status: string; risk: string; policy: string; requester_id: string; requester_name: string
  reason?: string; preview: Preview; capabilities: Capabilities; created_at: string; deadline: string
  decided?: Outcome; decided_by_name?: string; bill?: string; link?: string; refusal?: Refusal; replaces?: string; replaced_by?: string
  manual?: boolean; draft_id?: string; draft_revision?: number
}

export interface Choice { value: string; label: Label }
export interface Field {
  name: string; label: Label; type: string; required?: boolean; read_only?: boolean; fixed?: boolean; listed?: boolean; hidden?: boolean
  control?: string; default?: string; help?: Label; max_length?: number; min?: string; max?: string; scale?: number | null; pattern?: string
  ungoverned?: boolean; filter?: boolean; sort?: boolean; link_form?: string; options?: Choice[] | null; lines?: Field[] | null
}
/** The actions are those that the person was granted. */
export interface Action {
  action: string; label: Label; write?: boolean; batch?: boolean; manual?: boolean; states?: string[] | null; danger?: boolean; args?: Field[] | null
}
export interface Form { form: string; label: Label; help?: Label; domain: string; kind?: string; key: string; fields: Field[]; actions?: Action[] | null }
/** Decimals are strings, links are keys, lines are lists of rows. */
export type Row = Record<string, unknown>
export interface Page { rows?: Row[] | null; total: number; truncated: boolean; next_cursor?: string; record?: Row | null }
export interface Filter { field: string; op: string; value: string | string[] }
export interface Sort { field: string; desc?: boolean }

export interface FieldProblem { field: string; detail: string }
export interface Saved { bill?: string; bills?: string[] | null; link?: string; status: string; replayed?: boolean; op_id?: string }
export interface HistoryEntry {
  version: number; at: string; actor: string; actor_name?: string; channel: string; action: string; action_label?: Label
  op_id?: string; conversation_id?: string; diffs?: Diff[] | null; comment?: string
}
export interface Staging {
  op_id: string; form: string; action: string; op_type: string; target?: string; payload: Row; status: string; policy: string; deadline: string
  revision: number; reason?: string; conversation_id?: string; title: Label | string; object?: string; preview?: Preview; bill?: string; link?: string; editable?: boolean
}
export interface Todo {
  op_id: string; form: string; action: string; title: Label | string; object?: string; state: string; status: string; deadline?: string
  created_at: string; bill?: string; link?: string; open?: string; retry?: boolean; repropose?: boolean; refusal?: Refusal; conversation_id?: string
}

export type Params = Record<string, string>
/** One AG-UI event; ours travel in CUSTOM and ACTIVITY_*. */
export type Frame = Record<string, any> & { type: string }
