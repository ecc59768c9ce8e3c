// What the pages of the ERP share: the way back, the sheet, the status.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { Problem } from '../api'
import { label, t } from '../i18n'
import { Failure, Icon } from '../parts'
import { listHref, recordHref } from '../records'
import { visited } from '../route'
import type { Field, Form, Row } from '../types'

/** Back to the conversation, the catalogue, the list and the record, as far as one is inside. */
export function Crumbs({ form, bill, top }: { form?: Form; bill?: string; top?: boolean }) {
  const back = visited.get()
  return (
    <nav class="crumbs" aria-label={t('record.ways')}>
      <a href={back ? '/c/' + back : '/'}><Icon name="back" />{t(back ? 'record.back' : 'new')}</a>
      {!top && <a href="/erp/">{t('erp.home')}</a>}
      {form && <a href={listHref(form.form)}>{t('record.all', { form: label(form.label) })}</a>}
      {form && bill && <a href={recordHref(form.form, bill)}>{bill}</a>}
    </nav>
  )
}

/** One sheet of paper; its heading takes the focus when it is new. */
export function Sheet({ kicker, title, object, aside, children }: { kicker?: ComponentChildren; title: string; object?: string; aside?: ComponentChildren; children: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => { if (!document.querySelector('dialog[open]')) heading.current?.focus({ preventScroll: true }) }, [title])
  return (
    <article class="sheet" aria-labelledby="sheet-title">
      <header>
        <div>
          {kicker && <p class="kicker">{kicker}</p>}
          <h2 id="sheet-title" class="page-title" ref={heading} tabIndex={-1}>{title}</h2>
          {object && <p class="object">{object}</p>}
        </div>
        {aside}
      </header>
      {children}
    </article>
  )
}

export const Loading = () => <p class="loading"><i class="spin" aria-hidden="true" />{t('loading')}</p>

/** What is not there or not allowed says so; all else can be tried again. */
export function Trouble({ problem, bill, again }: { problem: Problem; bill?: string; again: () => void }) {
  if (problem.status === 403 || problem.status === 404) {
    const gone = problem.status === 404 && !!bill
    return <div class="empty" role="alert"><h2>{t(gone ? 'record.missing' : 'record.denied', { bill: bill ?? '' })}</h2><p>{t(gone ? 'record.missing.what' : 'record.denied.what')}</p></div>
  }
  return <Failure problem={problem}><button type="button" class="btn" onClick={again}>{t('again')}</button></Failure>
}

export const statusField = (f: Form): Field | undefined => f.fields.find((x) => x.name === 'status' && x.type === 'option')

/** The state of a document in its own words. */
export function StatusPill({ form, record }: { form: Form; record: Row }) {
  const f = statusField(form)
  const v = typeof record.status === 'string' ? record.status : ''
  if (!f || !v) return null
  return <span class={`pill d-${v}`}>{label(f.options?.find((o) => o.value === v)?.label) || v}</span>
}
