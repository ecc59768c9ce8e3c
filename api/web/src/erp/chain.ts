// Which document is made of which. Forms tell it by the argument source_form of
// their generate; where one does not, the usual way of a trade is taken.
import { forms, listHref } from '../records'
import type { Action, Form } from '../types'

const NEXT: Record<string, string> = {
  quotation: 'sales_order', sales_order: 'delivery', delivery: 'receivable', receivable: 'receipt',
  purchase_order: 'goods_receipt', goods_receipt: 'payable', payable: 'payment', production_order: 'production_report',
}
/** Keys of a generate that are no values of the new document. */
export const KEYS = ['source_form', 'sources', 'lines', 'mode']

export const generates = (f: Form): Action | undefined => f.actions?.find((a) => a.action === 'generate')

function takes(target: Form, source: string): boolean {
  const arg = generates(target)?.args?.find((a) => a.name === 'source_form')
  return !!generates(target) && (arg?.options?.length ? arg.options.some((o) => o.value === source) : NEXT[source] === target.form)
}
/** The forms that the person may make of a document of this form. */
export async function targets(source: string): Promise<Form[]> { return (await forms.list()).filter((f) => takes(f, source)) }

/** The form that a document of this form was made of. */
export function before(form: Form): string | undefined {
  const told = generates(form)?.args?.find((a) => a.name === 'source_form')?.options
  return told?.length === 1 ? told[0]!.value : Object.keys(NEXT).find((k) => NEXT[k] === form.form)
}
export const generateHref = (target: string, source: string, key: string): string => `${listHref(target)}?generate=${encodeURIComponent(`${source}:${key}`)}`
