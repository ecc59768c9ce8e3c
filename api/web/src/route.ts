// Addresses: /, /c/{id}, /inbox, and the ERP: /erp/, /erp/todos and
// /erp/form/{form}?…. Plain links work; the page catches them.
import { useEffect, useState } from 'preact/hooks'
import { Store } from './store'

export interface Route { page: 'home' | 'chat' | 'inbox' | 'erp' | 'todos' | 'form'; id: string; bill: string; search: string }

const part = (s: string): string => { try { return decodeURIComponent(s) } catch { return s } }
const PAGES: Record<string, Route['page']> = { '/inbox': 'inbox', '/erp': 'erp', '/erp/': 'erp', '/erp/todos': 'todos' }

export function route(): Route {
  const c = /^\/(c|erp\/form)\/([^/]+)$/.exec(location.pathname)
  if (!c) return { page: PAGES[location.pathname] ?? 'home', id: '', bill: '', search: '' }
  const id = part(c[2]!)
  return c[1] === 'c' ? { page: 'chat', id, bill: '', search: '' } : { page: 'form', id, bill: new URLSearchParams(location.search).get('bill') ?? '', search: location.search }
}

/** Asks before what was keyed in gets lost; a screen with such input holds it. */
class Guard extends Store {
  held = false
  /** Where the person wants to go, while the question is on the screen. */
  wanted: string | null = null
  private here = ''
  hold(on: boolean): void {
    this.held = on
    this.here = location.pathname + location.search
  }
  /** Lets go of the screen and goes where the person wanted. */
  leave(): void {
    const to = this.wanted!
    this.held = false
    this.stay()
    go(to)
  }
  stay(): void { this.wanted = null; this.now() }
  /** True when the way is free; else the question is asked. */
  ask(path: string): boolean {
    if (!this.held || path === this.here) return true
    this.wanted = path
    this.now()
    return false
  }
  /** The browser has gone back already: it is brought back here. */
  caught(): boolean {
    const to = location.pathname + location.search
    if (this.ask(to)) return false
    history.pushState(null, '', this.here)
    return true
  }
}
export const guard = new Guard()
addEventListener('beforeunload', (e) => { if (guard.held) e.preventDefault() })

export function go(path: string, replace = false): void {
  if (!replace && !guard.ask(path)) return
  if (path !== location.pathname + location.search) history[replace ? 'replaceState' : 'pushState'](null, '', path)
  dispatchEvent(new PopStateEvent('popstate'))
}
export function useRoute(): Route {
  const [now, set] = useState(route)
  useEffect(() => {
    const moved = () => {
      if (guard.caught()) return
      set((old) => { const next = route(); return next.page === old.page && next.id === old.id && next.search === old.search ? old : next })
    }
    addEventListener('popstate', moved)
    return () => removeEventListener('popstate', moved)
  }, [])
  return now
}
/** Whether the page itself shows what the address names. */
export const isOwn = (url: { origin: string; pathname: string; hash: string }): boolean =>
  url.origin === location.origin && !url.hash && /^\/(c\/[^/]+|inbox|erp\/?|erp\/todos|erp\/form\/[^/]+)?$/.test(url.pathname)

/** Follows own links without loading the page again. */
export function catchLinks(e: MouseEvent): void {
  const a = (e.target as Element).closest?.('a')
  if (!a || e.defaultPrevented || e.button || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey || a.target || !isOwn(a)) return
  e.preventDefault()
  go(a.pathname + a.search)
}

/** Where the way back leads: the conversation that was open last. */
export const visited = { get: (): string => sessionStorage.getItem('erpilot.visited') ?? '', set: (id: string): void => sessionStorage.setItem('erpilot.visited', id) }
