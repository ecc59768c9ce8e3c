// One control for one field, by what the ERP says of it, with label, mark, help
// and what is wrong beside it.
import { label, t } from '../i18n'
import { isFigure } from '../records'
import type { Field } from '../types'
import { Lookup } from './lookup'

interface Props { field: Field; id?: string; value: string; onValue: (v: string) => void; name?: string; described?: string; invalid?: boolean; onKeyDown?: (e: KeyboardEvent) => void; disabled?: boolean; hint?: string }

export function kind(f: Field): string {
  if (f.control && f.control !== 'grid') return f.control
  return f.type === 'option' ? 'select' : f.type === 'link' ? 'lookup' : f.type === 'date' ? 'date' : isFigure(f) ? 'number' : 'text'
}

export function Control({ field: f, id, value, onValue, name, described, invalid, onKeyDown, disabled, hint }: Props) {
  const common = { id, 'aria-label': name, 'aria-describedby': described, 'aria-invalid': invalid || undefined, 'aria-required': f.required || undefined, disabled, onKeyDown }
  const type = (e: { currentTarget: { value: string } }) => onValue(e.currentTarget.value)
  switch (kind(f)) {
    case 'textarea': return <textarea rows={3} maxLength={f.max_length || undefined} value={value} onInput={type} {...common} />
    case 'select': return (
      <select value={value} onChange={type} {...common}>
        {(!value || !f.required) && <option value="">{t(f.required ? 'input.choose' : 'input.none')}</option>}
        {f.options?.map((o) => <option value={o.value}>{label(o.label)}</option>)}
      </select>
    )
    case 'switch': return <><input type="checkbox" role="switch" checked={value === 'true'} onChange={(e) => onValue(e.currentTarget.checked ? 'true' : 'false')} {...common} aria-required={undefined} />{f.options && <span aria-hidden="true">{label(f.options.find((o) => o.value === value)?.label)}</span>}</>
    case 'lookup': if (f.link_form) return <Lookup form={f.link_form} id={id} value={value} onPick={onValue} aria-label={name} described={described} invalid={invalid} required={f.required} onKeyDown={onKeyDown} disabled={disabled} />
    // A link without a form is a text.
    default: return kind(f) === 'date'
      ? <input type="date" value={value} onInput={type} {...common} />
      : <input type="text" class={kind(f) === 'number' ? 'num' : undefined} inputMode={kind(f) === 'number' ? 'decimal' : undefined} autocomplete="off" maxLength={f.max_length || (isFigure(f) ? 40 : undefined)} placeholder={hint || undefined} value={value} onInput={type} {...common} />
  }
}

/** A control under its label, with one place for help and for what is wrong. mark says that the assistant filled it in, and whether a person changed that. */
export function Labelled({ problem, mark, ...p }: Omit<Props, 'id' | 'described' | 'invalid' | 'name'> & { problem?: string; mark?: '' | 'filled' | 'changed' }) {
  const f = p.field
  const id = 'f-' + f.name
  const described = [mark && id + '-mark', problem ? id + '-bad' : label(f.help) && id + '-help'].filter(Boolean).join(' ') || undefined
  return (
    <div class={`input ${mark ?? ''} ${kind(f) === 'textarea' ? 'long' : ''}`} data-field={f.name}>
      <label for={id}>{label(f.label)}{f.required && <span class="req" aria-hidden="true"> *</span>}</label>
      {mark && <span id={id + '-mark'} class="tag mark">{t(mark === 'filled' ? 'staging.filled' : 'staging.changed')}</span>}
      <Control {...p} id={id} described={described} invalid={!!problem} />
      {problem ? <p id={id + '-bad'} class="hint bad-field">{problem}</p> : <p id={id + '-help'} class="hint quiet">{label(f.help)}</p>}
    </div>
  )
}
