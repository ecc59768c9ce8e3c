import { t } from './i18n'
import { session } from './session'
import { Icon } from './parts'

/** Names the language that it switches to, in that language. */
export function LanguageSwitch() {
  const zh = session.lang === 'zh'
  return <button type="button" class="ib text" lang={zh ? 'en' : 'zh-CN'} aria-label={zh ? 'Switch to English' : '切换到中文'} onClick={() => session.speak(zh ? 'en' : 'zh')}>{zh ? 'English' : '中文'}</button>
}
export function ThemeSwitch() {
  const next = { system: 'light', light: 'dark', dark: 'system' }[session.theme] as 'light'
  const text = t('theme', { theme: t(`theme.${session.theme}`) })
  return <button type="button" class="ib" aria-label={text} title={text} onClick={() => session.paint(next)}><Icon name="sun" /></button>
}
