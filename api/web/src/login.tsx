// Logging in: as the whole screen, or over the page when a login has expired.
import { useEffect, useState } from 'preact/hooks'
import { asProblem, call, get, type Problem } from './api'
import { label, t } from './i18n'
import { Dialog, Failure, ModelBadge } from './parts'
import { session } from './session'
import { useStore } from './store'
import { LanguageSwitch, ThemeSwitch } from './switches'
import type { LoginOptions, User } from './types'

export function LoginForm({ locked }: { locked?: User | null }) {
  useStore(session)
  const [username, setUsername] = useState(locked?.username ?? '')
  const [password, setPassword] = useState('')
  const kept = locked?.tenant ? `${locked.tenant.brand_id}/${locked.tenant.subsidiary_id}` : localStorage.getItem('erpilot.tenant') ?? ''
  const [tenant, setTenant] = useState(kept)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [busy, setBusy] = useState(false)
  const load = () => {
    get<LoginOptions>('/api/login/options').then((o) => {
      session.options = o
      session.labelled(o.model ?? (o.demo ? 'demo' : ''), o.demo)
      session.now()
      setProblem(null)
      const ids = (o.tenants ?? []).map((x) => `${x.brand_id}/${x.subsidiary_id}`)
      // A demo begins where its accounts begin: in the company of the tour.
      const first = o.demo_logins?.[0]?.tenant.replace('.', '/') ?? ''
      setTenant((now) => (ids.includes(now) ? now : ids.includes(first) ? first : ids[0] ?? ''))
    }, (e) => setProblem(asProblem(e)))
  }
  useEffect(load, [])
  const login = async (name: string, word: string, where = tenant) => {
    const [brand, subsidiary] = where.split('/')
    setBusy(true)
    setProblem(null)
    try {
      const { data } = await call<{ token: string; user: User }>('POST', '/api/login', { brand, subsidiary, username: name, password: word })
      localStorage.setItem('erpilot.tenant', where)
      session.accept(data.token, data.user, session.options?.tenants.find((x) => `${x.brand_id}/${x.subsidiary_id}` === where)?.name)
    } catch (e) {
      const p = asProblem(e)
      // A wrong password is a 401 too; here it is news, not an expired login.
      setProblem(Object.assign(p, { status: p.status === 401 ? 400 : p.status }))
      setPassword('')
    }
    setBusy(false)
  }
  const o = session.options
  const demos = (o?.demo_logins ?? []).filter((d) => d.tenant.replace('.', '/') === tenant)
  return (
    <form class="login-form" onSubmit={(e) => { e.preventDefault(); void login(username.trim(), password) }}>
      <label><span>{t('login.tenant')}</span>
        <select value={tenant} required disabled={!!locked} onChange={(e) => setTenant(e.currentTarget.value)}>
          {!o && <option value={tenant}>{t('loading')}</option>}
          {o?.tenants.map((x) => <option value={`${x.brand_id}/${x.subsidiary_id}`}>{label(x.name)}</option>)}
        </select>
      </label>
      <label><span>{t('login.username')}</span><input name="username" autocomplete="username" autocapitalize="none" spellcheck={false} required value={username} onInput={(e) => setUsername(e.currentTarget.value)} /></label>
      <label><span>{t('login.password')}</span><input name="password" type="password" autofocus={!!locked} autocomplete="current-password" required value={password} onInput={(e) => setPassword(e.currentTarget.value)} /></label>
      <Failure problem={problem}>{problem?.again && !o && <button type="button" class="btn" onClick={load}>{t('again')}</button>}</Failure>
      <button type="submit" class="btn primary" disabled={busy || !o}>{busy ? t('login.busy') : t('login')}</button>
      {!locked && demos.length > 0 && (
        <fieldset class="demo-logins"><legend>{t('login.demo')}</legend>
          {demos.map((d) => (
            <button type="button" class="btn" disabled={busy} onClick={() => { setUsername(d.username); setPassword(d.password); void login(d.username, d.password, d.tenant.replace('.', '/')) }}>
              <span>{d.name}</span><small>{d.username}</small>
            </button>
          ))}
        </fieldset>
      )}
    </form>
  )
}

export function LoginScreen() {
  useStore(session)
  return (
    <main class="login">
      <div class="panel">
        <div class="brand"><img src="/assets/icon.svg" alt="" width="40" height="40" /><h1>Erpilot</h1></div>
        <p class="lead">{t('login.lead')}</p>
        <LoginForm />
        <div class="row between"><ModelBadge /><span class="row"><ThemeSwitch /><LanguageSwitch /></span></div>
      </div>
    </main>
  )
}

/** Over the page: what was written and shown stays. */
export function LoginAgain() {
  return (
    <Dialog title={t('login.expired')} onClose={() => {}} fixed>
      <p>{t('login.expired.what')}</p>
      <LoginForm locked={session.user} />
      <p><button type="button" class="link" onClick={() => session.logout()}>{t('login.other')}</button></p>
    </Dialog>
  )
}
