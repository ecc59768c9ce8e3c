// What the pages ask of the ERP (see api/erpweb).
import { type Answer, call, file, get, post, rows } from '../api'
import { at } from '../records'
import type { Filter, HistoryEntry, Page, Preview, Row, Saved, Sort, Staging } from '../types'

export interface Query { mode: 'list'; filters?: Filter[]; sort?: Sort[]; fields?: string[]; cursor?: string; limit?: number }
/** version is that of the record which the person saw; token belongs to one press of save. */
export interface Write { action: string; target?: string; payload: Row; version?: number; token: string; staging?: string }

export const erp = {
  page: (form: string, q: Query): Promise<Page> => post(at(form) + '/read', q),
  csv: (form: string, q: Query) => file(at(form) + '/export', q),
  lookup: async (form: string, q: string): Promise<Row[]> => rows(await get(`${at(form)}/lookup?q=${encodeURIComponent(q)}&limit=20`)),
  preview: async (form: string, action: string, target: string | undefined, payload: Row): Promise<Preview> =>
    (await post<{ preview: Preview }>(at(form) + '/preview', { action, target, payload })).preview,
  save: (form: string, w: Write): Promise<Answer<Saved>> => call('POST', at(form) + '/records', w),
  history: async (form: string, key: string): Promise<HistoryEntry[]> => rows(await get(`${at(form)}/history?key=${encodeURIComponent(key)}`)),
  staging: (op: string): Promise<Staging> => get('/erp/api/staging/' + encodeURIComponent(op)),
}
