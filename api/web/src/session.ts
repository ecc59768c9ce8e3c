// Who is logged in, and what this browser prefers.
//
// The token lives in sessionStorage: it survives a reload, ends with the tab
// and is never part of a URL. A new tab of the same browser asks the others for
// it over a BroadcastChannel; logging out ends all of them.
import { type Lang, setLanguage, setZone } from './i18n'
import { Store } from './store'
import type { Label, LoginOptions, User } from './types'

type Theme = 'system' | 'light' | 'dark'
const KEY = 'erpilot.session'

class Session extends Store {
  token = ''
  user: User | null = null
  /** The name of the company that the person works in. */
  tenant: Label = { zh: '', en: '' }
  /** The server no longer takes the token; texts and screens stay. */
  expired = false
  /** Another person logged in over an expired login: start clean. */
  epoch = 0
  options: LoginOptions | null = null
  model = ''
  demo = false
  lang: Lang = (localStorage.getItem('erpilot.lang') as Lang) || (navigator.language.startsWith('en') ? 'en' : 'zh')
  theme: Theme = (localStorage.getItem('erpilot.theme') as Theme) || 'system'
  ctrlEnter = localStorage.getItem('erpilot.ctrlenter') === '1'
  shortcuts = localStorage.getItem('erpilot.shortcuts') !== '0'
  stay = localStorage.getItem('erpilot.stay') === '1'
  private channel = new BroadcastChannel('erpilot')

  constructor() {
    super()
    this.restore(sessionStorage.getItem(KEY))
    this.channel.onmessage = (e) => {
      if (e.data === 'who' && this.token && !this.expired) this.channel.postMessage({ session: sessionStorage.getItem(KEY) })
      else if (e.data?.session && !this.token) { this.restore(e.data.session); this.now() }
      else if (e.data?.logout && e.data.logout === this.token) this.forget()
    }
    if (!this.token) this.channel.postMessage('who')
    setLanguage(this.lang)
    this.paint()
  }

  private restore(json: string | null): void {
    try {
      const kept = JSON.parse(json ?? 'null')
      if (!kept?.token) return
      this.token = kept.token
      this.user = kept.user
      this.tenant = kept.tenant ?? this.tenant
      setZone(kept.user?.time_zone)
      sessionStorage.setItem(KEY, json!)
    } catch { /* not ours */ }
  }

  accept(token: string, user: User, tenant?: Label): void {
    const same = this.user && this.user.user_id === user.user_id &&
      this.user.tenant?.brand_id === user.tenant?.brand_id && this.user.tenant?.subsidiary_id === user.tenant?.subsidiary_id
    if (!same) this.epoch++
    this.restore(JSON.stringify({ token, user, tenant }))
    this.expired = false
    if (!localStorage.getItem('erpilot.lang') && (user.locale === 'zh' || user.locale === 'en')) this.speak(user.locale, false)
    this.now()
  }
  expire(): void {
    if (this.expired || !this.token) return
    this.expired = true
    this.now()
  }
  logout(): void {
    this.channel.postMessage({ logout: this.token })
    this.forget()
  }
  private forget(): void {
    sessionStorage.clear()
    this.token = ''
    this.user = null
    this.expired = false
    this.epoch++
    this.now()
  }

  speak(lang: Lang, keep = true): void {
    this.lang = lang
    if (keep) localStorage.setItem('erpilot.lang', lang)
    setLanguage(lang)
    this.now()
  }
  paint(theme: Theme = this.theme): void {
    this.theme = theme
    localStorage.setItem('erpilot.theme', theme)
    document.documentElement.dataset.theme = theme
    this.now()
  }
  prefer(name: 'ctrlEnter' | 'shortcuts' | 'stay', on: boolean): void {
    this[name] = on
    localStorage.setItem('erpilot.' + name.toLowerCase(), on ? '1' : '0')
    this.now()
  }
  /** Who answers: shown on every screen. */
  labelled(model?: string, demo?: boolean): void {
    if (!model || (model === this.model && !!demo === this.demo)) return
    this.model = model
    this.demo = !!demo
    this.now()
  }
}
export const session = new Session()
