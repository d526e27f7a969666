/** A word, sign or value of Lua source, and the line it stands on. */
export interface Token {
  readonly type: 'name' | 'keyword' | 'sign' | 'value' | 'end';
  readonly text: string;
  readonly line: number;
}

/** Source that is no Lua, with the line where that shows. */
export class LuaSyntaxError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const keywords: ReadonlySet<string> = new Set(
  'and break do else elseif end false for function goto if in local nil not or repeat return then true until while'.split(
    ' ',
  ),
);

/** Longest first, so that the longest sign wins. */
const signs = ['...', '..', '==', '~=', '<=', '>=', '::', ...'+-*/%^#<>=(){}[];:,.'];

const number =
  /^(?:0[xX][0-9a-fA-F.]+(?:[pP][+-]?\d+)?|\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?:[uU]?[lL]{2}|[iI])?/;

/** The tokens of Lua source (LuaJIT's dialect of 5.1). Throws LuaSyntaxError. */
export function luaTokens(source: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  const advance = (length: number): void => {
    for (let index = at; index < at + length; index += 1) if (source[index] === '\n') line += 1;
    at += length;
  };
  while (at < source.length) {
    const rest = source.slice(at, at + 200);
    const space = /^\s+/.exec(rest);
    if (space !== null) {
      advance(space[0].length);
      continue;
    }
    if (rest.startsWith('--')) {
      const long = longBracketEnd(source, at + 2, line);
      const newline = source.indexOf('\n', at);
      advance((long ?? (newline === -1 ? source.length : newline)) - at);
      continue;
    }
    const start = line;
    const token = tokenAt(source, at, rest, line);
    advance(token.length);
    tokens.push({ type: token.type, text: token.text, line: start });
  }
  return [...tokens, { type: 'end', text: 'the end', line }];
}

function tokenAt(
  source: string,
  at: number,
  rest: string,
  line: number,
): { readonly type: Token['type']; readonly text: string; readonly length: number } {
  const name = /^[A-Za-z_\u{80}-\u{10ffff}][A-Za-z0-9_\u{80}-\u{10ffff}]*/u.exec(rest)?.[0];
  if (name !== undefined) return { type: keywords.has(name) ? 'keyword' : 'name', text: name, length: name.length };
  const digits = number.exec(rest)?.[0];
  if (digits !== undefined) {
    if (/^[A-Za-z0-9_]/.test(rest.slice(digits.length))) throw new LuaSyntaxError('a number is malformed', line);
    return { type: 'value', text: 'a number', length: digits.length };
  }
  if (rest.startsWith('"') || rest.startsWith("'")) {
    return { type: 'value', text: 'a text', length: textEnd(source, at, line) - at };
  }
  const long = longBracketEnd(source, at, line);
  if (long !== null) return { type: 'value', text: 'a text', length: long - at };
  const sign = signs.find((candidate) => rest.startsWith(candidate));
  if (sign === undefined) throw new LuaSyntaxError('there is a character that Lua does not know', line);
  return { type: 'sign', text: sign, length: sign.length };
}

function textEnd(source: string, start: number, line: number): number {
  const quote = source[start];
  for (let at = start + 1; at < source.length; at += 1) {
    const char = source[at];
    if (char === '\\') {
      // After "\z" white space is skipped, line ends too; after "\" a line end may stand.
      if (source[at + 1] === 'z') at += 1 + (/^\s*/.exec(source.slice(at + 2))?.[0].length ?? 0);
      else at += 1;
    } else if (char === quote) return at + 1;
    else if (char === '\n') break;
  }
  throw new LuaSyntaxError('a text is not closed', line);
}

/** Where a long bracket (`[[…]]`, `[==[…]==]`) that opens here ends; null where none opens. */
function longBracketEnd(source: string, at: number, line: number): number | null {
  const open = /^\[(=*)\[/.exec(source.slice(at, at + 100));
  if (open === null) return null;
  const end = source.indexOf(`]${open[1]}]`, at + open[0].length);
  if (end === -1) throw new LuaSyntaxError('a long text or comment is not closed', line);
  return end + open[0].length;
}
