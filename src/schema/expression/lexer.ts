/** A piece of a router expression; `start` and `end` are places in the text. */
export interface ExpressionToken {
  readonly type: 'name' | 'text' | 'number' | 'address' | 'block' | 'operator' | 'sign' | 'end';
  /** The piece as written; of a text, its content. */
  readonly text: string;
  readonly start: number;
}

/** An expression that cannot be read. */
export class ExpressionError extends Error {}

const ipv4 = /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?/;
const ipv6 = /^(?::|[0-9A-Fa-f]{1,4}):(?:[0-9A-Fa-f]{1,4}|:)*(?:\/\d{1,3})?/;
const integer = /^-?(?:0x[0-9A-Fa-f]+|\d+)/;
const name = /^[A-Za-z][A-Za-z0-9_.]*/;
const operators = ['==', '!=', '^=', '=^', '>=', '<=', '~', '>', '<'];
const signs = ['&&', '||', '!', '(', ')'];

/** The pieces of an expression of Kong's router language (atc-router's grammar). Throws ExpressionError. */
export function expressionTokens(source: string): readonly ExpressionToken[] {
  const tokens: ExpressionToken[] = [];
  let at = 0;
  while (at < source.length) {
    const rest = source.slice(at, at + 300);
    const space = /^[ \t\r\n]+/.exec(rest)?.[0].length ?? 0;
    if (space > 0) {
      at += space;
      continue;
    }
    const token = textAt(source, at) ?? shortToken(rest, at);
    tokens.push({ type: token.type, text: token.text, start: at });
    at += token.length;
  }
  return [...tokens, { type: 'end', text: 'the end', start: source.length }];
}

type Found = Omit<ExpressionToken, 'start'> & { readonly length: number };

function shortToken(rest: string, at: number): Found {
  const address = ipv4.exec(rest)?.[0] ?? ipv6.exec(rest)?.[0];
  if (address !== undefined) {
    return { type: address.includes('/') ? 'block' : 'address', text: address, length: address.length };
  }
  for (const [type, pattern] of [
    ['number', integer],
    ['name', name],
  ] as const) {
    const found = pattern.exec(rest)?.[0];
    if (found !== undefined) return { type, text: found, length: found.length };
  }
  const operator = operators.find((candidate) => rest.startsWith(candidate));
  if (operator !== undefined) return { type: 'operator', text: operator, length: operator.length };
  const sign = signs.find((candidate) => rest.startsWith(candidate));
  if (sign !== undefined) return { type: 'sign', text: sign, length: sign.length };
  throw new ExpressionError(`at character ${at + 1} there is nothing that the language knows`);
}

/** A text in quotes, or a raw one (`r#"…"#`), that starts here; null where none does. */
function textAt(source: string, start: number): Found | null {
  if (source.startsWith('r#"', start)) {
    const end = source.indexOf('"#', start + 3);
    if (end === -1) throw new ExpressionError('a raw text is not closed with "#');
    return { type: 'text', text: source.slice(start + 3, end), length: end + 2 - start };
  }
  if (source[start] !== '"') return null;
  let text = '';
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at] ?? '';
    if (char === '"') return { type: 'text', text, length: at + 1 - start };
    if (char === '\\') {
      at += 1;
      const escaped = escapes[source[at] ?? ''];
      if (escaped === undefined) throw new ExpressionError('after "\\" stands none of ", \\, n, r, t');
      text += escaped;
    } else text += char;
  }
  throw new ExpressionError('a text is not closed with a quote');
}

const escapes: { readonly [letter: string]: string } = { '"': '"', '\\': '\\', n: '\n', r: '\r', t: '\t' };
