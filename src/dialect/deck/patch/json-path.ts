import { isJsonArray, isJsonObject, type Json, type JsonPath } from '../../../model/json.ts';

/** A condition on an item of a list or a mapping, `@` being the item. */
type Condition =
  | { readonly type: 'exists'; readonly path: readonly string[] }
  | { readonly type: 'compare'; readonly path: readonly string[]; readonly equal: boolean; readonly value: Json }
  | { readonly type: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly type: 'not'; readonly of: Condition };

type Step =
  | { readonly type: 'member'; readonly name: string }
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'every' }
  | { readonly type: 'below' }
  | { readonly type: 'filter'; readonly condition: Condition };

/** A selector that was read: the part of JSONPath that decK's patch files use. */
export interface Selector {
  readonly steps: readonly Step[];
  /** Whether it counts items of a list at the top of a file, whose order is that of no file in particular. */
  readonly countsAtTop: boolean;
}

const tokens: readonly (readonly [RegExp, (match: RegExpExecArray) => Step | null])[] = [
  [/\.\.(?=[A-Za-z_*[])/y, () => ({ type: 'below' })],
  [/\.?([A-Za-z_][\w-]*)/y, ([, name = '']) => ({ type: 'member', name })],
  [/\.?\*|\[\*\]/y, () => ({ type: 'every' })],
  [/\[(\d+)\]/y, ([, index = '']) => ({ type: 'index', index: Number(index) })],
  [/\[(?:'([^']*)'|"([^"]*)")\]/y, ([, single, double]) => ({ type: 'member', name: single ?? double ?? '' })],
  [
    /\[\?\s*((?:[^\]"']|"[^"]*"|'[^']*')*)\]/y,
    ([, text = '']) => {
      const condition = readCondition(text.trim());
      return condition === null ? null : { type: 'filter', condition };
    },
  ],
];

/** Reads a selector such as `$..routes[?(@.name == 'orders')]`; null for what is not in this part of JSONPath. */
export function parseSelector(text: string): Selector | null {
  if (!text.startsWith('$')) return null;
  const steps: Step[] = [];
  let at = 1;
  while (at < text.length) {
    const found = tokens.flatMap(([pattern, make]) => {
      pattern.lastIndex = at;
      const match = pattern.exec(text);
      return match === null ? [] : [{ step: make(match), length: match[0].length }];
    })[0];
    if (found === undefined || found.step === null) return null;
    steps.push(found.step);
    at += found.length;
  }
  const [first, second] = steps;
  if (steps.at(-1)?.type === 'below') return null;
  return { steps, countsAtTop: second?.type === 'index' && (first?.type === 'member' || first?.type === 'every') };
}

/** The paths of all that a selector selects in a value, in the order of the value. */
export function select(value: Json, { steps }: Selector): readonly JsonPath[] {
  let found: readonly (readonly [JsonPath, Json])[] = [[[], value]];
  for (const step of steps) found = found.flatMap(([path, current]) => taken(path, current, step));
  const distinct = new Map(found.map(([path]) => [JSON.stringify(path), path]));
  return [...distinct.values()];
}

function taken(path: JsonPath, value: Json, step: Step): readonly (readonly [JsonPath, Json])[] {
  switch (step.type) {
    case 'member': {
      const member = isJsonObject(value) && Object.hasOwn(value, step.name) ? value[step.name] : undefined;
      return member === undefined ? [] : [[[...path, step.name], member]];
    }
    case 'index': {
      const item = isJsonArray(value) ? value[step.index] : undefined;
      return item === undefined ? [] : [[[...path, step.index], item]];
    }
    case 'every':
      return childrenOf(path, value);
    case 'filter':
      return childrenOf(path, value).filter(([, child]) => holds(step.condition, child));
    case 'below':
      return [[path, value], ...childrenOf(path, value).flatMap(([at, child]) => taken(at, child, step))];
  }
}

function childrenOf(path: JsonPath, value: Json): readonly (readonly [JsonPath, Json])[] {
  if (isJsonArray(value)) return value.map((item, index) => [[...path, index], item] as const);
  return isJsonObject(value) ? Object.entries(value).map(([key, item]) => [[...path, key], item] as const) : [];
}

function holds(condition: Condition, value: Json): boolean {
  switch (condition.type) {
    case 'exists':
      return memberAt(value, condition.path) !== undefined;
    case 'compare': {
      const member = memberAt(value, condition.path);
      return (member !== undefined && member === condition.value) === condition.equal;
    }
    case 'all':
      return condition.of.every((part) => holds(part, value));
    case 'any':
      return condition.of.some((part) => holds(part, value));
    case 'not':
      return !holds(condition.of, value);
  }
}

function memberAt(value: Json, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>(
    (current, step) => (isJsonObject(current) && Object.hasOwn(current, step) ? current[step] : undefined),
    value,
  );
}

/** A condition with `==`, `!=`, `&&`, `||`, `!` and brackets around the whole; null for what is no such condition. */
function readCondition(text: string): Condition | null {
  const inner = withoutBrackets(text);
  for (const [sign, type] of [
    ['||', 'any'],
    ['&&', 'all'],
  ] as const) {
    const parts = splitOutside(inner, sign);
    if (parts.length < 2) continue;
    const of = parts.map(readCondition).filter((part) => part !== null);
    return of.length === parts.length ? { type, of } : null;
  }
  if (inner.startsWith('!')) {
    const of = readCondition(inner.slice(1).trim());
    return of === null ? null : { type: 'not', of };
  }
  const match = /^@((?:\.[A-Za-z_][\w-]*)+)\s*(?:(==|!=)\s*(.+))?$/s.exec(inner);
  if (match === null) return null;
  const [, members = '', operator, written] = match;
  const path = members.slice(1).split('.');
  if (operator === undefined) return { type: 'exists', path };
  const value = readValue(written ?? '');
  return value === undefined ? null : { type: 'compare', path, equal: operator === '==', value };
}

function readValue(text: string): Json | undefined {
  const quoted = /^(?:'([^']*)'|"([^"]*)")$/.exec(text.trim());
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? '';
  if (/^(?:true|false|null|-?\d+(?:\.\d+)?)$/.test(text.trim())) return JSON.parse(text.trim());
  return undefined;
}

/** The text without the brackets around all of it. */
function withoutBrackets(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('(') || !trimmed.endsWith(')')) return trimmed;
  let depth = 0;
  for (const [index, character] of [...trimmed].entries()) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth === 0 && index < trimmed.length - 1) return trimmed;
  }
  return withoutBrackets(trimmed.slice(1, -1));
}

/** The parts of a text between a sign that stands outside of quotes and brackets. */
function splitOutside(text: string, sign: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let start = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    else if (depth === 0 && text.startsWith(sign, at)) {
      parts.push(text.slice(start, at).trim());
      start = at + sign.length;
      at += sign.length - 1;
    }
  }
  return [...parts, text.slice(start).trim()];
}
