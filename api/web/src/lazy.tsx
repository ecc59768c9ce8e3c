// The pages of the ERP are a part of their own: who only chats does not load it.
import { type ComponentType, h } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { t } from './i18n'
import type { Route } from './route'

let Pages: ComponentType<{ here: Route }> | undefined

export function ErpPages({ here }: { here: Route }) {
  const [failed, fail] = useState(false)
  const [, bump] = useState(0)
  const load = () => { fail(false); import('./erp/main').then((m) => { Pages = m.Erp; bump(1) }, () => fail(true)) }
  useEffect(() => { if (!Pages) load() }, [])
  if (Pages) return h(Pages, { here })
  return (
    <main class="chat"><div class="column" id="content">
      {failed ? <div class="failure" role="alert"><span>{t('erp.unloaded')}</span><button type="button" class="btn" onClick={() => location.reload()}>{t('reload')}</button></div>
        : <p class="loading"><i class="spin" aria-hidden="true" />{t('loading')}</p>}
    </div></main>
  )
}
