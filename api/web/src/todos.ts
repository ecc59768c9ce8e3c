// What the assistant has prepared for this person: how much waits, everywhere in
// the page, and the whole list on a page of its own.
import { get, rows } from './api'
import { session } from './session'
import { Store } from './store'
import type { Todo } from './types'

class Todos extends Store {
  list: Todo[] | null = null
  /** Those that wait for the person. */
  get waiting(): number { return this.list?.filter((x) => x.state === 'todo').length ?? 0 }

  forget(): void { this.list = null }
  /** Throws a Problem; what is known stays. */
  async load(): Promise<void> {
    if (session.expired) return
    this.list = rows<Todo>(await get('/erp/api/todos'))
    this.changed()
  }
}
export const todos = new Todos()
