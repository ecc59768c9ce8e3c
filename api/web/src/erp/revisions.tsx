// What the draft of a proposal was before: any two of its revisions, compared by
// the server, as far as the one that was proposed.
import { useState } from 'preact/hooks'
import { get, rows } from '../api'
import { decimal, t, when } from '../i18n'
import { Failure } from '../parts'
import { Diffs } from '../preview'
import type { Card, Diff } from '../types'
import { type Load, useLoad } from './load'
import { Loading } from './parts'

interface Revision { revision: number; created_by: string; created_at: string }
interface Difference extends Diff { kind: string; line?: number }
export interface RevisionsProps { card: Card; nameOf: (id: string) => string }

const path = (card: Card) => '/api/drafts/' + encodeURIComponent(card.draft_id!)

export function Revisions({ card, nameOf }: RevisionsProps) {
  const load = useLoad(async () => rows<Revision>(await get(path(card) + '/revisions')).filter((r) => r.revision <= card.draft_revision!), [card.draft_id, card.draft_revision])
  const all = load.data
  if (!all) return <Waiting load={load} />
  return all.length < 2 ? <p class="quiet">{t('revisions.none')}</p> : <Compare card={card} all={all} nameOf={nameOf} />
}

/** all is newest first. */
function Compare({ card, all, nameOf }: RevisionsProps & { all: Revision[] }) {
  const [to, setTo] = useState(all[0]!.revision)
  const [from, setFrom] = useState(all[1]!.revision)
  const older = all.filter((r) => r.revision < to)
  const newer = all.find((r) => r.revision === to)!
  const choose = (n: number) => { setTo(n); setFrom(all.find((r) => r.revision < n)!.revision) }
  return (
    <>
      <div class="row">
        <Choice name="from" text={t('revisions.from')} among={older} value={from} choose={setFrom} />
        <Choice name="to" text={t('revisions.to')} among={all.slice(0, -1)} value={to} choose={choose} />
      </div>
      <p class="quiet">{t('revisions.by', { n: to, name: nameOf(newer.created_by), at: when(newer.created_at) })}</p>
      <Changes key={`${from}-${to}`} card={card} from={from} to={to} />
    </>
  )
}

function Choice({ name, text, among, value, choose }: { name: string; text: string; among: Revision[]; value: number; choose: (n: number) => void }) {
  return (
    <label>{text}{' '}
      <select name={name} value={value} onChange={(e) => choose(Number(e.currentTarget.value))}>
        {among.map((r) => <option value={r.revision}>{r.revision} · {when(r.created_at)}</option>)}
      </select>
    </label>
  )
}

function Changes({ card, from, to }: { card: Card; from: number; to: number }) {
  const load = useLoad(async () => rows<Difference>(await get(`${path(card)}/diff?from=${from}&to=${to}`)), [])
  if (!load.data) return <Waiting load={load} />
  if (!load.data.length) return <p class="same">{t('revisions.same')}</p>
  return <Diffs diffs={load.data.map(placed)} caption={t('revisions.changes', { from, to })} />
}

/** A difference within a line says which line it is. */
const placed = (d: Difference): Diff => (d.line ? { ...d, object: t('revisions.line', { n: decimal(String(d.line)), object: d.object ?? '' }) } : d)

function Waiting({ load }: { load: Load<unknown> }) {
  return load.problem ? <Failure problem={load.problem}><button type="button" class="btn" onClick={() => void load.again()}>{t('again')}</button></Failure> : <Loading />
}
