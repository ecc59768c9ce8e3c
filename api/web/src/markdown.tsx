// Markdown of the model: marked's lexer, and elements made by hand. Raw HTML is
// shown as text, images are links that nobody loads, and links lead to http,
// https or mailto only.
import { Component, type ComponentChildren, type VNode } from 'preact'
import { type Token, type Tokens, lexer } from 'marked'
import { isNumber, t } from './i18n'
import { isOwn } from './route'

/** The address if it is safe to open, "" otherwise. */
export function safeHref(href?: string): string {
  if (!href) return ''
  try {
    const url = new URL(href, location.origin)
    return ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : ''
  } catch { return '' }
}

/** Own addresses open in place, all others in a tab of their own. */
export const leads = (href: string): { target?: string; rel?: string } => (isOwn(new URL(href)) ? {} : { target: '_blank', rel: 'noopener noreferrer nofollow' })

function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const safe = safeHref(href)
  return safe ? <a href={safe} {...leads(safe)}>{children}</a> : <span>{children}</span>
}

const unescape = (s: string): string => s.replace(/&(amp|lt|gt|quot|#39);/g, (_, x) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[x as string]!)

function inline(tokens?: Token[]): ComponentChildren {
  return tokens?.map((k): ComponentChildren => {
    switch (k.type) {
      case 'strong': return <strong>{inline(k.tokens)}</strong>
      case 'em': return <em>{inline(k.tokens)}</em>
      case 'del': return <s>{inline(k.tokens)}</s>
      case 'codespan': return <code>{k.text}</code>
      case 'br': return <br />
      case 'link': return <Link href={k.href}>{inline(k.tokens)}</Link>
      case 'image': return <Link href={k.href}>{t('image.link', { alt: k.text || k.href })}</Link>
      case 'text': return 'tokens' in k && k.tokens ? inline(k.tokens) : unescape(k.text)
      case 'escape': return unescape(k.text)
      default: return k.raw // raw HTML among others: as text
    }
  })
}

// A code or a number is not broken in two.
const CODE = /^[\x21-\x7e]{1,20}$/

function Table({ token }: { token: Tokens.Table }) {
  // A column of numbers is read from its right end.
  const numeric = token.header.map((_, i) => {
    const cells = token.rows.map((r) => r[i]?.text.trim() ?? '').filter(Boolean)
    return cells.length > 0 && cells.every(isNumber) && !cells.every((c) => /^(0|\d{10})\d+$/.test(c)) // not telephone numbers
  })
  const align = (i: number) => (token.align[i] ? `a-${token.align[i]}` : numeric[i] ? 'a-right num' : undefined)
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={t('table.scroll')}>
      <table>
        <thead><tr>{token.header.map((c, i) => <th scope="col" class={align(i)}>{inline(c.tokens)}</th>)}</tr></thead>
        <tbody>{token.rows.map((r) => <tr>{r.map((c, i) => <td class={[align(i), CODE.test(c.text) && 'nb'].filter(Boolean).join(' ') || undefined}>{inline(c.tokens)}</td>)}</tr>)}</tbody>
      </table>
    </div>
  )
}

function block(k: Token): ComponentChildren {
  switch (k.type) {
    case 'space': case 'def': return null
    case 'heading': { const H = `h${Math.min(6, k.depth + 2)}` as 'h3'; return <H>{inline(k.tokens)}</H> }
    case 'paragraph': return <p>{inline(k.tokens)}</p>
    case 'text': return <>{k.tokens ? inline(k.tokens) : unescape(k.text)}</>
    case 'code': return <pre tabIndex={0}><code>{k.text}</code></pre>
    case 'blockquote': return <blockquote>{k.tokens?.map(block)}</blockquote>
    case 'hr': return <hr />
    case 'table': return <Table token={k as Tokens.Table} />
    case 'list': {
      const list = k as Tokens.List
      const items = list.items.map((i) => (
        <li>{i.task && <input type="checkbox" checked={i.checked} disabled aria-label={i.text} />}{i.tokens.filter((x) => x.type !== 'checkbox').map(block)}</li>
      ))
      return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>
    }
    default: return <p>{k.raw}</p>
  }
}

/** A finished block is not made again while the text below it grows. */
class Block extends Component<{ token: Token; links: number; lang: string }> {
  shouldComponentUpdate(next: { token: Token; links: number; lang: string }) {
    return next.token.raw !== this.props.token.raw || next.links !== this.props.links || next.lang !== this.props.lang
  }
  render(): VNode { return <>{block(this.props.token)}</> }
}

export class Markdown extends Component<{ text: string; lang: string }> {
  shouldComponentUpdate(next: { text: string; lang: string }) { return next.text !== this.props.text || next.lang !== this.props.lang }
  render() {
    const tokens = lexer(this.props.text, { gfm: true, breaks: true })
    const links = Object.keys(tokens.links).length
    return <div class="md">{tokens.map((k, i) => <Block key={i} token={k} links={links} lang={this.props.lang} />)}</div>
  }
}
