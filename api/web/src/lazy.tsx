// The pages of the ERP are a part of their own: who only chats does not load it.
import { type ComponentType, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from './i18n'
import type { RevisionsProps } from './erp/revisions'
import type { Route } from './route'
import type { QuestionView } from './transcript'

let part: { Erp: ComponentType<{ here: Route }>; Collect: ComponentType<{ q: QuestionView }>; Revisions: ComponentType<RevisionsProps> } | undefined

/** The part, once it is there; until then what is shown in its place. */
function usePart() {
  const [failed, fail] = useState(false)
  const [, bump] = useState(0)
  useEffect(() => { if (!part) import('./erp/main').then((m) => { part = m; bump(1) }, () => fail(true)) }, [])
  const instead = failed
    ? <div class="failure" role="alert"><span>{t('erp.unloaded')}</span><button type="button" class="btn" onClick={() => location.reload()}>{t('reload')}</button></div>
    : <p class="loading"><i class="spin" aria-hidden="true" />{t('loading')}</p>
  return { part, instead }
}

export function ErpPages({ here }: { here: Route }) {
  const { part, instead } = usePart()
  return part ? h(part.Erp, { here }) : <main class="chat"><div class="column" id="content">{instead}</div></main>
}

/** The fields of a form that the agent asks for. */
export function AskedFields({ q }: { q: QuestionView }) {
  const { part, instead } = usePart()
  return part ? h(part.Collect, { q }) : instead
}

/** What the draft of a proposal was before. */
export function EarlierRevisions(props: RevisionsProps) {
  const { part, instead } = usePart()
  return part ? h(part.Revisions, props) : instead
}
