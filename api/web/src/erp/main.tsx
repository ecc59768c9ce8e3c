// The pages of the ERP: catalogue, lists, records, keying in, to-dos.
import { speaks, t } from '../i18n'
import { Dialog } from '../parts'
import { forms } from '../records'
import { guard, type Route } from '../route'
import { session } from '../session'
import { useStore } from '../store'
import { erp as texts } from './dictionary.gen'
import { EditPage, NewPage } from './edit'
import { GeneratePage } from './generate'
import { Home } from './home'
import { ListPage } from './list'
import { useLoad } from './load'
import { Crumbs, Loading, Trouble } from './parts'
import { RecordPage } from './record'
import { StagingPage } from './staging'
import { TodosPage } from './todos'

speaks(texts)

export { Collect } from './collect'
export { Revisions } from './revisions'

export function Erp({ here }: { here: Route }) {
  useStore(session)
  useStore(guard)
  const form = here.page === 'form'
  return (
    <main class="chat">
      <div class="transcript" id="content" tabIndex={0} role="region" aria-label={t(here.page === 'todos' ? 'todos' : here.page === 'erp' ? 'erp.home' : 'record')}>
        {form ? <FormPage key={keyOf(here)} here={here} /> : here.page === 'todos' ? <TodosPage /> : <Home />}
      </div>
      {guard.wanted !== null && <Leave />}
    </main>
  )
}

const MODES = ['staging', 'generate', 'new', 'edit', 'bill'] as const
/** Searching a list changes its address and is still the same page. */
function keyOf(here: Route): string {
  const q = new URLSearchParams(here.search)
  return [here.id, ...MODES.map((m) => q.get(m) ?? '')].join('|')
}

function FormPage({ here }: { here: Route }) {
  const q = new URLSearchParams(here.search)
  const { data: form, problem, again } = useLoad(() => forms.schema(here.id), [here.id])
  const wide = MODES.every((m) => !q.get(m))
  const page = () => {
    if (!form) return null
    if (q.get('staging')) return <StagingPage form={form} op={q.get('staging')!} />
    if (q.get('generate')) return <GeneratePage form={form} from={q.get('generate')!} />
    if (q.get('new')) return <NewPage form={form} />
    if (q.get('bill') && q.get('edit')) return <EditPage form={form} bill={here.bill} />
    if (q.get('bill')) return <RecordPage form={form} bill={here.bill} />
    return <ListPage form={form} search={here.search} />
  }
  return (
    <div class={`column ${wide ? 'wide' : 'paper'}`}>
      {form && !problem ? page() : <><Crumbs />{problem ? <Trouble problem={problem} bill={here.bill} again={() => void again()} /> : <Loading />}</>}
    </div>
  )
}

/** Before what was keyed in gets lost. */
function Leave() {
  return (
    <Dialog title={t('leave.title')} onClose={() => guard.stay()}>
      <p>{t('leave.what')}</p>
      <div class="row end">
        <button type="button" class="btn" autofocus onClick={() => guard.stay()}>{t('leave.stay')}</button>
        <button type="button" class="btn danger" onClick={() => guard.leave()}>{t('leave.go')}</button>
      </div>
    </Dialog>
  )
}
