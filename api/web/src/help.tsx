import { t } from './i18n'
import { Dialog } from './parts'
import { session } from './session'
import { useStore } from './store'

export function Help({ onClose }: { onClose: () => void }) {
  useStore(session)
  const mod = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'
  const keys: [string, string][] = [
    [session.ctrlEnter ? `${mod} Enter` : 'Enter', t('key.send')], ['Shift Enter', t('key.newline')], [`${mod} K`, t('key.new')], ['Esc', t('key.focus')],
    ['Alt ↑ / ↓', t('key.messages')], [`${mod} ↑ / ↓`, t('key.ends')], ['1 – 9', t('key.options')], ['/', t('key.slash')], ['?', t('key.help')],
  ]
  const box = (name: 'ctrlEnter' | 'shortcuts' | 'stay', text: string) => (
    <label class="check"><input type="checkbox" checked={session[name]} onChange={(e) => session.prefer(name, e.currentTarget.checked)} /><span>{text}</span></label>
  )
  return (
    <Dialog title={t('help.title')} onClose={onClose}>
      <p>{t('help.what')}</p>
      <dl class="keys">{keys.map(([k, what]) => <div><dt>{k.split(' ').map((x) => (x === '/' && k.length > 1) || x === '–' ? ` ${x} ` : <kbd>{x}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
      {box('ctrlEnter', t('prefer.ctrl'))}
      {box('shortcuts', t('prefer.shortcuts'))}
      {box('stay', t('prefer.stay'))}
    </Dialog>
  )
}
