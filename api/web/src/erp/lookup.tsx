// A field that names a record of another form: search as you type, choose with
// arrow keys and Enter, or with the pointer.
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { t } from '../i18n'
import { composing } from '../parts'
import { called, forms } from '../records'
import { useStore } from '../store'
import type { Row } from '../types'
import { erp } from './wire'

/** The names of keys that were seen, "form|key". */
const names = new Map<string, string>()
export const nameKey = (form: string, key: string, name: string): void => { if (key && name) names.set(form + '|' + key, name) }
export const nameOf = (form: string, key: string): string => names.get(form + '|' + key) ?? ''

interface Props { form: string; value: string; onPick: (key: string) => void; id?: string; 'aria-label'?: string; described?: string; invalid?: boolean; required?: boolean; onKeyDown?: (e: KeyboardEvent) => void; disabled?: boolean }

export function Lookup({ form, value, onPick, id, described, invalid, required, onKeyDown, disabled, ...rest }: Props) {
  useStore(forms)
  const f = forms.seek(form)
  const [text, setText] = useState<string | null>(null)
  const [found, setFound] = useState<Row[] | null>(null)
  const [at, setAt] = useState(-1)
  const timer = useRef(0)
  const asked = useRef(0)
  const list = useId()
  const box = useRef<HTMLInputElement>(null)
  const open = found !== null
  const keyOf = (r: Row) => String(r[f?.key ?? ''] ?? Object.values(r)[0] ?? '')
  const name = (r: Row) => (f ? called(f, r) : '')

  // A key that came from elsewhere has its name looked up once.
  useEffect(() => {
    if (!value || !f || nameOf(form, value)) return
    let gone = false
    void erp.lookup(form, value).then((rows) => {
      for (const r of rows) nameKey(form, keyOf(r), name(r))
      if (!gone && nameOf(form, value)) forms.now()
    }, () => {})
    return () => { gone = true }
  }, [value, f])
  useEffect(() => () => { clearTimeout(timer.current); asked.current++ }, [])

  const ask = (q: string, wait: number) => {
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => {
      const mine = ++asked.current
      erp.lookup(form, q.trim()).then((rows) => {
        if (mine !== asked.current) return
        for (const r of rows) nameKey(form, keyOf(r), name(r))
        setFound(rows)
        setAt(rows.length && q.trim() ? 0 : -1)
      }, () => { if (mine === asked.current) setFound([]) })
    }, wait)
  }
  const close = () => { clearTimeout(timer.current); asked.current++; setFound(null); setAt(-1); setText(null) }
  const pick = (r: Row) => { onPick(keyOf(r)); close() }
  /** What was typed and not chosen: an exact key counts, everything else is left to the ERP to refuse. */
  const leave = () => {
    if (text !== null) {
      const typed = text.trim()
      const hit = found?.find((r) => keyOf(r).toLowerCase() === typed.toLowerCase() || name(r) === typed) ?? (found?.length === 1 && typed ? found[0] : undefined)
      if (!typed) onPick('')
      else if (hit) onPick(keyOf(hit))
      else if (typed !== shown) onPick(typed)
    }
    close()
  }
  const keys = (e: KeyboardEvent) => {
    if (composing(e)) return
    if (e.key === 'ArrowDown' || e.key === 'ArrowUp') {
      if (!open) { if (e.altKey || e.key === 'ArrowDown') { e.preventDefault(); ask(text ?? '', 0) } return }
      e.preventDefault()
      const n = found.length
      if (n) setAt((at + (e.key === 'ArrowDown' ? 1 : at < 0 ? 0 : -1) + n) % n)
    } else if (e.key === 'Enter' && open && found[at]) { e.preventDefault(); e.stopPropagation(); pick(found[at]!) }
    else if (e.key === 'Escape' && open) { e.preventDefault(); e.stopPropagation(); close() }
    else onKeyDown?.(e)
  }
  const known = value && nameOf(form, value)
  const shown = known && known !== value ? `${value} ${known}` : value
  return (
    <span class="lookup">
      <input ref={box} id={id} type="text" role="combobox" autocomplete="off" spellcheck={false} maxLength={200} aria-autocomplete="list" aria-expanded={open} aria-controls={list}
        aria-activedescendant={open && at >= 0 ? `${list}-${at}` : undefined} aria-describedby={described} aria-invalid={invalid || undefined} aria-required={required || undefined} disabled={disabled}
        placeholder={t('lookup.hint')} value={text ?? shown} {...rest}
        onFocus={(e) => e.currentTarget.select()} onClick={() => { if (!open) ask(text ?? '', 0) }}
        onInput={(e) => { setText(e.currentTarget.value); ask(e.currentTarget.value, 150) }} onKeyDown={keys} onBlur={leave} />
      <ul id={list} role="listbox" aria-label={t('lookup.found')} class="choices" hidden={!open}>
        {found?.map((r, i) => (
          <li id={`${list}-${i}`} role="option" aria-selected={i === at} class={i === at ? 'at' : undefined} onMouseDown={(e) => { e.preventDefault(); pick(r) }}>
            <span>{keyOf(r)}</span> <span class="quiet">{name(r)}</span>
          </li>
        ))}
        {found?.length === 0 && <li role="option" aria-selected="false" aria-disabled="true" class="quiet">{t('search.none')}</li>}
      </ul>
    </span>
  )
}
