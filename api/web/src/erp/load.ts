// Something to be shown that has to be asked for first.
import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, type Problem } from '../api'
import { session } from '../session'

export interface Load<T> { data?: T; problem: Problem | null; again: () => Promise<void> }

/** Asks at first, when deps change and after another login; late answers are dropped. */
export function useLoad<T>(ask: () => Promise<T>, deps: unknown[]): Load<T> {
  const [state, set] = useState<{ data?: T; problem: Problem | null }>({ problem: null })
  const asked = useRef(0)
  const again = async () => {
    const mine = ++asked.current
    set((old) => ({ data: old.data, problem: null }))
    try {
      const data = await ask()
      if (mine === asked.current) set({ data, problem: null })
    } catch (e) {
      const problem = asProblem(e)
      if (mine === asked.current) set((old) => ({ data: old.data, problem }))
    }
  }
  useEffect(() => {
    if (!session.expired) void again()
    return () => { asked.current++ }
  }, [...deps, session.expired])
  return { ...state, again }
}
