// Making the next document of one or several: which lines, how much of each.
import { useEffect, useRef, useState } from 'preact/hooks'
import { asProblem, type Problem } from '../api'
import { decimal, label, money, t } from '../i18n'
import { Failure, IconButton } from '../parts'
import { called, forms, recordHref, shown, value, words } from '../records'
import { announcer } from '../store'
import type { Form, Row, Saved } from '../types'
import { generates, KEYS } from './chain'
import { Labelled } from './control'
import { arrive, Problems, toTrouble, useDraft, useEnd } from './edit'
import { Picture, SaveRow } from './effects'
import { useLoad } from './load'
import { Lookup } from './lookup'
import { Crumbs, Loading, Sheet, Trouble } from './parts'
import { drawn, generate, type Part, parts, type Source, taken } from './sources'
import { rowsOf, text, writable } from './values'

export function GeneratePage({ form, from }: { form: Form; from: string }) {
  const [source = '', list = ''] = [from.slice(0, from.indexOf(':')), from.slice(from.indexOf(':') + 1)]
  const keys = list.split(',').filter(Boolean)
  const { data, problem, again } = useLoad(() => read(source, keys), [from])
  return (
    <>
      <Crumbs form={form} />
      {problem && <Trouble problem={problem} bill={keys.join(', ')} again={() => void again()} />}
      {!data && !problem && <Loading />}
      {data && <Sheet kicker={label(form.label)} title={t('generate.title', { form: label(form.label) })} object={t('generate.from', { form: label(data.form.label), keys: keys.join(', ') })}>
        <Generator form={form} source={data.form} first={data.sources} back={recordHref(source, keys[0] ?? '')} onSaved={(s) => arrive(form, s)} />
      </Sheet>}
    </>
  )
}

/** Reads source documents; prefill is a generate that was approved. */
export async function read(source: string, keys: string[], prefill?: Row): Promise<{ form: Form; sources: Source[] }> {
  const form = await forms.schema(source)
  const sources = await Promise.all(keys.map(async (key): Promise<Source> => {
    const record = await forms.record(source, key)
    return { key, record, parts: parts(form, key, record) }
  }))
  const lines = rowsOf(prefill?.lines)
  if (lines.length) for (const p of sources.flatMap((s) => s.parts)) {
    const l = lines.find((x) => text(x.source) === p.source && Number(x.line_no ?? 0) === p.no)
    p.on = !!l
    if (l && text(l.quantity)) p.take = text(l.quantity)
  }
  return { form, sources }
}

interface Props { form: Form; source: Form; first: Source[]; back: string; prefill?: Row; staging?: string; onSaved: (s: Saved & { waits?: boolean }) => void; onStale?: () => void }

export function Generator({ form, source, first, back, prefill, staging, onSaved, onStale }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [sources, setSources] = useState(first)
  const [mode, setMode] = useState(text(prefill?.mode) || 'merge')
  const [made, setMade] = useState<string[] | null>(null)
  const now = useRef({ sources, mode })
  const args = (generates(form)?.args ?? []).filter((a) => !KEYS.includes(a.name))
  const header = (args.length ? args : form.fields.filter((f) => f.type !== 'link')).filter((f) => writable(f) && !f.hidden && f.type !== 'lines')
  const values = prefill && Object.fromEntries(Object.entries(prefill).filter(([k]) => !KEYS.includes(k)))
  const d = useDraft({ form, action: 'generate', fields: header, prefill: values, staging, guarded: true, extra: () => ({ ...generate(source.form, now.current.sources, now.current.mode, prefill) }) })
  useEnd(d, onStale)
  const put = (next: Source[], how = mode) => {
    now.current = { sources: next, mode: how }
    setSources(next)
    setMode(how)
    d.edited('lines')
  }
  const change = (p: Part, to: Partial<Part>) => put(sources.map((s) => ({ ...s, parts: s.parts.map((x) => (x === p ? { ...x, ...to } : x)) })))
  useEffect(() => { if (d.failure) toTrouble(box.current) }, [d.failure])
  const save = async () => {
    const done = await d.save()
    if (!done) return
    if ((done.bills?.length ?? 0) > 1) { setMade(done.bills!); announcer.say(t('generate.made', { count: done.bills!.length })) }
    if ((done.bills?.length ?? 0) <= 1 || staging) onSaved(done)
  }
  // "lines[2].quantity" counts what was sent.
  const bad = (p: Part): string | undefined => {
    const i = taken(sources).indexOf(p)
    return i < 0 ? undefined : d.problems.get(`lines[${i + 1}].quantity`) ?? d.problems.get(`lines[${i + 1}]`)
  }
  const none = sources.every((s) => s.parts.length === 0)
  if (made) return <div class="result good"><p>{t('generate.made', { count: made.length })}</p><ul>{made.map((b) => <li><a class="bill" href={recordHref(form.form, b)}>{b}</a></li>)}</ul></div>
  return (
    <div class="editor" ref={box}>
      <Problems draft={d} />
      {header.length > 0 && <div class="inputs">{header.map((f) => <Labelled key={f.name} field={f} value={String(d.values[f.name] ?? '')} onValue={(v) => d.set(f.name, v)} problem={d.problems.get(f.name)} mark={d.prefilled.has(f.name) ? 'filled' : ''} />)}</div>}
      {sources.map((s) => (
        <SourceLines key={s.key} form={source} s={s} bad={bad} change={change}
          onRemove={sources.length > 1 ? () => put(sources.filter((x) => x !== s)) : undefined} />
      ))}
      {none && <p class="note">{t('generate.nothing')}</p>}
      <More form={source} have={sources.map((s) => s.key)} onAdd={(s) => put([...sources, s])} />
      {sources.length > 1 && (
        <fieldset class="modes"><legend>{t('generate.mode')}</legend>
          {(['merge', 'split'] as const).map((m) => <label class="check"><input type="radio" name="mode" value={m} checked={mode === m} onChange={() => put(sources, m)} /><span>{t(m === 'merge' ? 'generate.merge' : 'generate.split')}</span></label>)}
        </fieldset>
      )}
      <SaveRow draft={d}>
        <a class="btn" href={back}>{t('edit.cancel')}</a>
        <button type="button" class="btn primary" data-save="main" disabled={d.saving || taken(sources).length === 0} onClick={() => void save()}>{d.saving ? t('edit.saving') : t('generate.do', { form: label(form.label) })}</button>
      </SaveRow>
      <Picture draft={d} />
    </div>
  )
}

function SourceLines({ form, s, bad, change, onRemove }: { form: Form; s: Source; bad: (p: Part) => string | undefined; change: (p: Part, to: Partial<Part>) => void; onRemove?: () => void }) {
  const columns = shown(form.fields.find((f) => f.type === 'lines')?.lines ?? [])
  const product = columns.find((c) => c.field.name === 'product') ?? columns[0]
  const unit = columns.find((c) => c.field.name === 'unit')
  const open = drawn(form) ? undefined : form.fields.find((f) => f.name === 'open_amount')
  return (
    <section class="source" data-source={s.key}>
      <div class="row between"><h3><a href={recordHref(form.form, s.key)}>{s.key}</a> <small>{called(form, s.record)}</small></h3>
        {onRemove && <IconButton icon="close" text={t('generate.remove', { key: s.key })} onClick={onRemove} />}</div>
      {s.parts.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label={s.key}>
          <table class="grid take">
            <thead><tr><th scope="col">{t('generate.take')}</th><th scope="col">{open ? label(form.label) : product ? label(product.field.label) : ''}</th><th scope="col" class="num">{t('generate.left')}</th><th scope="col" class="num">{t(open ? 'generate.amount' : 'generate.quantity')}</th></tr></thead>
            <tbody>{s.parts.map((p) => {
              const id = `take-${s.key}-${p.no}`
              const problem = bad(p)
              const name = open ? s.key : product ? words(product, p.row) || value(product, p.row) : String(p.no)
              return (
                <tr data-part={p.no}>
                  <td><input type="checkbox" checked={p.on} aria-label={t('generate.line', { name })} onChange={(e) => change(p, { on: e.currentTarget.checked })} /></td>
                  <th scope="row" class="nb">{name}{!open && product && text(p.row[product.field.name]) !== name && <small>{text(p.row[product.field.name])}</small>}</th>
                  <td class="num">{open ? <>{text(s.record.currency)} {money(p.left)}</> : <>{decimal(p.left)} {unit && words(unit, p.row)}</>}</td>
                  <td class="num">
                    <input type="text" inputMode="decimal" class="num" disabled={!p.on} aria-label={t('generate.quantity_of', { name })} aria-invalid={!!problem || undefined} aria-describedby={problem ? id : undefined} value={p.take} onInput={(e) => change(p, { take: e.currentTarget.value })} />
                    {problem && <p id={id} class="bad-field">{problem}</p>}
                  </td>
                </tr>
              )
            })}</tbody>
          </table>
        </div>
      )}
      {s.parts.length === 0 && <p class="quiet">{t('generate.drawn')}</p>}
    </section>
  )
}

/** Another source document beside the first. */
function More({ form, have, onAdd }: { form: Form; have: string[]; onAdd: (s: Source) => void }) {
  const [problem, setProblem] = useState<Problem | null>(null)
  const [n, setN] = useState(0)
  const add = async (key: string) => {
    if (!key || have.includes(key)) { setN(n + 1); return }
    setProblem(null)
    try {
      const { sources } = await read(form.form, [key])
      onAdd(sources[0]!)
    } catch (e) { setProblem(asProblem(e)) }
    setN(n + 1)
  }
  return (
    <div class="input more"><label for="more-source">{t('generate.more', { form: label(form.label) })}</label>
      <Lookup key={n} id="more-source" form={form.form} value="" onPick={(k) => void add(k)} />
      <Failure problem={problem} />
    </div>
  )
}
