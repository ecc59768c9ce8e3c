// Somebody else has saved meanwhile: both versions, field by field.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { label, t } from '../i18n'
import { Icon } from '../parts'
import { shown, value } from '../records'
import type { Field, Row } from '../types'
import { type Draft } from './draft'
import { rowsOf, text, writable } from './values'

/** A value as a text; lines one below the other. */
function told(f: Field, v: unknown): ComponentChildren {
  if (f.type !== 'lines') return value({ field: f }, { [f.name]: v }) || t('diff.empty')
  const columns = shown(f.lines ?? []).filter((c) => writable(c.field))
  const rows = rowsOf(v)
  return rows.length ? <ul>{rows.map((r) => <li>{columns.map((c) => value({ field: c.field }, r)).filter(Boolean).join(' · ')}</li>)}</ul> : t('diff.empty')
}
const same = (a: unknown, b: unknown): boolean => (Array.isArray(a) || Array.isArray(b) ? JSON.stringify(a ?? []) === JSON.stringify(b ?? []) : text(a) === text(b))

export function Conflict({ draft: d }: { draft: Draft }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const theirs = d.theirs!
  const mine = (f: Field): unknown => (f.type === 'lines' ? d.kept(f).map((l) => l.values) : d.values[f.name])
  const rows = d.setup.form.fields.filter((f) => !f.hidden && f.name !== 'version').map((f) => ({
    f, moved: !same(d.base[f.name], theirs[f.name]) , changed: !!d.field(f.name) && writable(f) && d.differs(f),
  })).filter((x) => x.moved || x.changed)
  const row = (theirsOf: Row): Record<string, unknown> => theirsOf
  return (
    <section class="conflict" role="alertdialog" aria-labelledby="conflict" aria-describedby="conflict-what">
      <h3 id="conflict" tabIndex={-1} ref={heading}><Icon name="warn" />{t('conflict.title')}</h3>
      <p id="conflict-what">{t('conflict.what')}</p>
      <div class="scroll" tabIndex={0} role="group" aria-label={t('conflict.title')}>
        <table>
          <thead><tr><th scope="col">{t('diff.field')}</th><th scope="col">{t('conflict.base')}</th><th scope="col">{t('conflict.theirs')}</th><th scope="col">{t('conflict.mine')}</th></tr></thead>
          <tbody>
            {rows.map(({ f, moved, changed }) => (
              <tr class={moved && changed ? 'hit' : undefined}>
                <th scope="row">{label(f.label)}{moved && changed && <span class="tag">{t('conflict.both')}</span>}</th>
                <td>{told(f, d.base[f.name])}</td>
                <td>{moved ? <ins>{told(f, row(theirs)[f.name])}</ins> : <span class="quiet">{t('conflict.same')}</span>}</td>
                <td>{changed ? <ins>{told(f, mine(f))}</ins> : <span class="quiet">{t('conflict.same')}</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div class="row end">
        <button type="button" class="btn" data-take="theirs" onClick={() => d.settle(false)}>{t('conflict.take')}</button>
        <button type="button" class="btn" data-take="mine" onClick={() => d.settle(true)}>{t('conflict.keep')}</button>
      </div>
    </section>
  )
}
