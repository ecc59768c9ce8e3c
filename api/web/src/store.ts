// A store tells its watchers that something changed, at most once per frame.
import { Component, type ComponentType, type VNode, createElement } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export class Store {
  private watchers = new Set<() => void>()
  private queued = false

  watch(fn: () => void): () => void {
    this.watchers.add(fn)
    return () => { this.watchers.delete(fn) }
  }

  /** Paints with the next frame, however many changes there were. */
  changed(): void {
    if (this.queued) return
    this.queued = true
    const run = () => { this.queued = false; this.now() }
    // A hidden page has no frames.
    if (document.visibilityState === 'hidden') setTimeout(run, 40)
    else requestAnimationFrame(run)
  }

  now(): void { for (const fn of [...this.watchers]) fn() }
}

export function useStore(store: Store): void {
  const [, bump] = useState(0)
  useEffect(() => store.watch(() => bump((n) => n + 1)), [store])
}

/** Draws again only when a property is another one; a long conversation stays cheap while its end grows. */
export function memo<P extends object>(what: ComponentType<P>): ComponentType<P & { lang: string }> {
  return class extends Component<P & { lang: string }> {
    shouldComponentUpdate(next: any): boolean {
      const now: any = this.props
      return Object.keys(next).some((k) => next[k] !== now[k]) || Object.keys(now).some((k) => !(k in next))
    }
    render(): VNode { return createElement(what as any, this.props as any) }
  }
}

/** crypto.randomUUID exists on https and localhost only. */
export function uuid(): string {
  if (crypto.randomUUID) return crypto.randomUUID()
  const b = crypto.getRandomValues(new Uint8Array(16))
  b[6] = (b[6]! & 15) | 64
  b[8] = (b[8]! & 63) | 128
  const hex = [...b].map((x) => x.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** What a person waits for, said once by the page's only live region. */
class Announcer extends Store {
  text = ''
  say(text: string): void {
    this.text = this.text === text ? text + '\u00a0' : text
    this.now()
  }
}
export const announcer = new Announcer()
