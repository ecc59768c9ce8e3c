// Addresses: /, /c/{id}, /inbox and /erp/form/{form}?bill={key}. Plain links
// work; the page catches them.
import { useEffect, useState } from 'preact/hooks'

export interface Route { page: 'home' | 'chat' | 'inbox' | 'form'; id: string; bill: string }

const part = (s: string): string => { try { return decodeURIComponent(s) } catch { return s } }

export function route(): Route {
  const c = /^\/(c|erp\/form)\/([^/]+)$/.exec(location.pathname)
  if (c) return { page: c[1] === 'c' ? 'chat' : 'form', id: part(c[2]!), bill: c[1] === 'c' ? '' : new URLSearchParams(location.search).get('bill') ?? '' }
  return { page: location.pathname === '/inbox' ? 'inbox' : 'home', id: '', bill: '' }
}
export function go(path: string, replace = false): void {
  if (path !== location.pathname + location.search) history[replace ? 'replaceState' : 'pushState'](null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
}
export function useRoute(): Route {
  const [now, set] = useState(route)
  useEffect(() => {
    const moved = () => set((old) => { const next = route(); return next.page === old.page && next.id === old.id && next.bill === old.bill ? old : next })
    addEventListener('popstate', moved)
    return () => removeEventListener('popstate', moved)
  }, [])
  return now
}
/** Whether the page itself shows what the address names. */
export const isOwn = (url: { origin: string; pathname: string; hash: string }): boolean =>
  url.origin === location.origin && !url.hash && /^\/(c\/[^/]+|inbox|erp\/form\/[^/]+)?$/.test(url.pathname)

/** Follows own links without loading the page again. */
export function catchLinks(e: MouseEvent): void {
  const a = (e.target as Element).closest?.('a')
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || a.target || !isOwn(a)) return
  e.preventDefault()
  go(a.pathname + a.search)
}
