/** One word of an expression in the Common Expression Language. */
export type CelToken =
  | { readonly type: 'name' | 'sign'; readonly text: string }
  | { readonly type: 'text'; readonly value: string }
  | { readonly type: 'number'; readonly value: number }
  | { readonly type: 'end' };

const pattern =
  /\s+|r"""([\s\S]*?)"""|r'([^']*)'|r"([^"]*)"|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()[\]])/gy;

/** The words of an expression. Throws where something else stands in it. */
export function celTokens(text: string): readonly CelToken[] {
  const tokens: CelToken[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const start = pattern.lastIndex;
    const match = pattern.exec(text);
    if (match === null) throw new SyntaxError(`an unknown sign at ${start} of ${text}`);
    const [, long, rawSingle, rawDouble, single, double, number, name, sign] = match;
    const raw = long ?? rawSingle ?? rawDouble;
    const quoted = single ?? double;
    if (raw !== undefined) tokens.push({ type: 'text', value: raw });
    else if (quoted !== undefined) tokens.push({ type: 'text', value: unescaped(quoted) });
    else if (number !== undefined) tokens.push({ type: 'number', value: Number(number) });
    else if (name !== undefined) tokens.push({ type: 'name', text: name });
    else if (sign !== undefined) tokens.push({ type: 'sign', text: sign });
  }
  return [...tokens, { type: 'end' }];
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, char: string) => escapes[char] ?? char);
}
