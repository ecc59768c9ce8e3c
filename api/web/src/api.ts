// Calls of the gateway. Failures are Problems with a code of schema/fault.
import { faultText, language } from './i18n'
import { session } from './session'
import type { FieldProblem, Params } from './types'

export class Problem extends Error {
  /** fields says field by field what is wrong with the input. */
  constructor(public status: number, public code: string, public params: Params = {}, public fields: FieldProblem[] = []) { super(code) }
  get text(): string { return faultText(this.code, this.params) }
  /** The server may have had it; the same request may be sent again. */
  get again(): boolean { return this.status === 0 || this.status === 429 || this.status >= 500 }
}

/** Offset of the server's clock to ours, in milliseconds. */
export const clock = {
  offset: 0, exact: false,
  now: (): number => Date.now() + clock.offset,
  set(iso: string | null, exact: boolean): void {
    const at = Date.parse(iso ?? '')
    if (isNaN(at) || (clock.exact && !exact)) return
    clock.exact ||= exact
    // A Date header has whole seconds: only a clear difference counts.
    const offset = at - Date.now()
    if (exact || Math.abs(offset) > 2000) clock.offset = offset
  },
}

export interface Answer<T> { status: number; data: T }

/** Asks, and gives the answer if it is a good one; else it throws a Problem. */
async function send(method: string, path: string, accept: string, body?: unknown, key?: string, signal = AbortSignal.timeout(20000)): Promise<Response> {
  const headers: Record<string, string> = { Accept: accept, 'Accept-Language': language() === 'zh' ? 'zh-CN' : 'en' }
  const token = session.token
  if (token) headers.Authorization = 'Bearer ' + token
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (key) headers['Idempotency-Key'] = key
  let res: Response
  try {
    res = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, cache: 'no-store' })
  } catch {
    throw new Problem(0, 'unavailable')
  }
  clock.set(res.headers.get('Date'), false)
  if (res.ok) return res
  const data: any = parse(await res.text().catch(() => ''))
  if (res.status === 401 && token && token === session.token) session.expire()
  throw new Problem(res.status, data?.code ?? (res.status >= 500 ? 'unavailable' : 'internal'), data?.params ?? (data?.detail ? { detail: data.detail } : {}), data?.problems ?? [])
}
function parse(text: string): any { try { return text ? JSON.parse(text) : null } catch { return null } }

export async function call<T>(method: string, path: string, body?: unknown, key?: string): Promise<Answer<T>> {
  const res = await send(method, path, 'application/json', body, key)
  return { status: res.status, data: parse(await res.text().catch(() => '')) }
}
/** A file, and whether the server cut it. It may take a minute. */
export async function file(path: string, body: unknown): Promise<{ blob: Blob; cut: boolean }> {
  const res = await send('POST', path, 'text/csv', body, undefined, AbortSignal.timeout(60000))
  try { return { blob: await res.blob(), cut: !!res.headers.get('X-Truncated') && res.headers.get('X-Truncated') !== 'false' } } catch { throw new Problem(0, 'unavailable') }
}
export const get = async <T>(path: string): Promise<T> => (await call<T>('GET', path)).data
export const post = async <T>(path: string, body: unknown = {}, key?: string): Promise<T> => (await call<T>('POST', path, body, key)).data

/** The rows of a list answer, bare or in an envelope. */
export function rows<T>(data: unknown): T[] {
  if (Array.isArray(data)) return data
  if (data && typeof data === 'object') for (const v of Object.values(data)) if (Array.isArray(v)) return v
  return []
}
export const asProblem = (e: unknown): Problem => (e instanceof Problem ? e : new Problem(0, 'internal'))
