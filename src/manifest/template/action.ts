import { notSupported, TemplateError } from './problems.ts';

/** What a command of a pipeline is made of. */
export type Operand =
  | { readonly type: 'constant'; readonly value: string | number | boolean | null }
  | { readonly type: 'variable'; readonly name: string }
  | { readonly type: 'function'; readonly name: string }
  | { readonly type: 'group'; readonly pipe: Pipe };

/** Commands, each of which gets the value of the one before it as its last argument. `sets` names a variable. */
export interface Pipe {
  readonly sets: string | null;
  readonly commands: readonly (readonly Operand[])[];
}

/** What stands between `${{` and `}}`. */
export type Action =
  | { readonly type: 'output'; readonly pipe: Pipe }
  | { readonly type: 'if'; readonly pipe: Pipe }
  | { readonly type: 'else'; readonly pipe: Pipe | null }
  | { readonly type: 'end' }
  | { readonly type: 'comment' };

interface Token {
  readonly type: 'text' | 'number' | 'variable' | 'word' | 'sign';
  readonly text: string;
}

const token =
  /\s*(?:"((?:[^"\\]|\\.)*)"|`([^`]*)`|([-+]?[0-9]+(?:\.[0-9]+)?)(?![\w.])|(\$\w+)|([A-Za-z_]\w*)|(:=|[|()=]))/y;

/**
 * Reads an action of Go's text/template language, of which decK's files use pipelines, variables, comments and `if`
 * (deck.md 1.6). Throws TemplateError for what is not in it.
 */
export function parseAction(inner: string): Action {
  const text = inner.trim();
  if (/^\/\*[\s\S]*\*\/$/.test(text)) return { type: 'comment' };
  const tokens = tokensOf(text);
  const [first] = tokens;
  if (first?.type !== 'word') return { type: 'output', pipe: wholePipe(tokens) };
  switch (first.text) {
    case 'if':
      return { type: 'if', pipe: wholePipe(tokens.slice(1)) };
    case 'else': {
      if (tokens.length === 1) return { type: 'else', pipe: null };
      const [, second] = tokens;
      if (second?.type !== 'word' || second.text !== 'if') throw new TemplateError(notSupported);
      return { type: 'else', pipe: wholePipe(tokens.slice(2)) };
    }
    case 'end':
      if (tokens.length > 1) throw new TemplateError(notSupported);
      return { type: 'end' };
    case 'range':
    case 'with':
    case 'define':
    case 'template':
    case 'block':
    case 'break':
    case 'continue':
      throw new TemplateError(notSupported);
    default:
      return { type: 'output', pipe: wholePipe(tokens) };
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) throw new TemplateError(notSupported);
    const [, quoted, raw, number, variable, word, sign] = match;
    if (quoted !== undefined) tokens.push({ type: 'text', text: unescaped(quoted) });
    else if (raw !== undefined) tokens.push({ type: 'text', text: raw });
    else if (number !== undefined) tokens.push({ type: 'number', text: number });
    else if (variable !== undefined) tokens.push({ type: 'variable', text: variable });
    else if (word !== undefined) tokens.push({ type: 'word', text: word });
    else tokens.push({ type: 'sign', text: sign ?? '' });
  }
  return tokens;
}

const escapes: { readonly [letter: string]: string } = { n: '\n', t: '\t', r: '\r' };

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter);
}

function wholePipe(tokens: readonly Token[]): Pipe {
  const [first, second] = tokens;
  const sets = first?.type === 'variable' && (isSign(second, ':=') || isSign(second, '=')) ? first.text : null;
  const { pipe, end } = readPipe(tokens, sets === null ? 0 : 2, sets);
  if (end < tokens.length) throw new TemplateError(notSupported);
  return pipe;
}

/** The pipeline from a token on, up to a closing bracket or the end. */
function readPipe(tokens: readonly Token[], from: number, sets: string | null): { pipe: Pipe; end: number } {
  const commands: Operand[][] = [[]];
  let at = from;
  for (; at < tokens.length && !isSign(tokens[at], ')'); at += 1) {
    const next = tokens[at];
    if (next === undefined) break;
    if (isSign(next, '|')) commands.push([]);
    else if (isSign(next, '(')) {
      const group = readPipe(tokens, at + 1, null);
      if (!isSign(tokens[group.end], ')')) throw new TemplateError(notSupported);
      commands.at(-1)?.push({ type: 'group', pipe: group.pipe });
      at = group.end;
    } else commands.at(-1)?.push(operand(next));
  }
  if (commands.some((command) => command.length === 0)) throw new TemplateError(notSupported);
  return { pipe: { sets, commands }, end: at };
}

function operand({ type, text }: Token): Operand {
  switch (type) {
    case 'text':
      return { type: 'constant', value: text };
    case 'number':
      return { type: 'constant', value: Number(text) };
    case 'variable':
      return { type: 'variable', name: text };
    case 'word':
      if (text === 'true' || text === 'false') return { type: 'constant', value: text === 'true' };
      return text === 'nil' ? { type: 'constant', value: null } : { type: 'function', name: text };
    case 'sign':
      throw new TemplateError(notSupported);
  }
}

function isSign(found: Token | undefined, text: string): boolean {
  return found?.type === 'sign' && found.text === text;
}
