// The catalogue: forms by domain, reports apart.
import { label, t, word } from '../i18n'
import { Icon } from '../parts'
import { forms, listHref } from '../records'
import { useStore } from '../store'
import { todos } from '../todos'
import type { Form } from '../types'
import { useLoad } from './load'
import { Crumbs, Loading, Trouble } from './parts'

/** In the order of the work; a domain that is not here comes last. */
const DOMAINS = ['customers', 'products', 'quotation', 'sales', 'delivery', 'receivables', 'purchasing', 'goods_receipt', 'payables', 'inventory', 'production']
const rank = (d: string): number => (DOMAINS.indexOf(d) + DOMAINS.length + 1) % (DOMAINS.length + 1)

export function Home() {
  useStore(todos)
  const { data, problem, again } = useLoad(() => forms.list(), [])
  const records = (data ?? []).filter((f) => f.kind !== 'report')
  const reports = (data ?? []).filter((f) => f.kind === 'report')
  const domains = [...new Set(records.map((f) => f.domain))].sort((a, b) => rank(a) - rank(b))
  return (
    <div class="column wide">
      <Crumbs top />
      <div class="row between">
        <h2 class="page-title">{t('erp.title')}</h2>
        <a class="btn" href="/erp/todos"><Icon name="check" />{t('todos')}{todos.waiting > 0 && <span class="count">{todos.waiting}</span>}</a>
      </div>
      {problem && <Trouble problem={problem} again={() => void again()} />}
      {!data && !problem && <Loading />}
      {data && records.length === 0 && <p class="empty">{t('erp.none')}</p>}
      <div class="domains">
        {domains.map((d) => <Domain key={d} title={word('domain', d)} list={records.filter((f) => f.domain === d)} />)}
      </div>
      {reports.length > 0 && (
        <section class="reports" aria-labelledby="reports">
          <h2 id="reports" class="page-title">{t('erp.reports')}</h2>
          <ul class="report-list">{reports.map((f) => <li><a href={listHref(f.form)}>{label(f.label)}</a>{label(f.help) && <span class="quiet">{label(f.help)}</span>}</li>)}</ul>
        </section>
      )}
    </div>
  )
}

function Domain({ title, list }: { title: string; list: Form[] }) {
  return (
    <section class="domain">
      <h3>{title}</h3>
      <ul>{list.map((f) => (
        <li>
          <a href={listHref(f.form)} title={label(f.help) || undefined}>{label(f.label)}</a>
          {f.actions?.some((a) => a.action === 'create') && <a class="ib" href={listHref(f.form) + '?new=1'} aria-label={t('list.new', { form: label(f.label) })} title={t('list.new', { form: label(f.label) })}><Icon name="plus" /></a>}
        </li>
      ))}</ul>
    </section>
  )
}
