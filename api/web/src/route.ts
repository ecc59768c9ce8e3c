// Addresses: / , /c/{id} and /inbox. Plain links work; the page catches them.
import { useEffect, useState } from 'preact/hooks'

export interface Route { page: 'home' | 'chat' | 'inbox'; id: string }
export function route(): Route {
  const c = /^\/c\/([^/]+)$/.exec(location.pathname)
  if (c) return { page: 'chat', id: decodeURIComponent(c[1]!) }
  return { page: location.pathname === '/inbox' ? 'inbox' : 'home', id: '' }
}
export function go(path: string, replace = false): void {
  if (path !== location.pathname) history[replace ? 'replaceState' : 'pushState'](null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
}
export function useRoute(): Route {
  const [now, set] = useState(route)
  useEffect(() => {
    const moved = () => set((old) => { const next = route(); return next.page === old.page && next.id === old.id ? old : next })
    addEventListener('popstate', moved)
    return () => removeEventListener('popstate', moved)
  }, [])
  return now
}
/** Follows own links without loading the page again. */
export function catchLinks(e: MouseEvent): void {
  const a = (e.target as Element).closest?.('a')
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || a.target) return
  if (a.origin !== location.origin || a.hash || !/^\/(c\/[^/]+|inbox)?$/.test(a.pathname)) return
  e.preventDefault()
  go(a.pathname)
}
