import type { Location } from '../model/location.ts';

/** A part of a line that must not be shown: columns from 1, the end exclusive. */
export interface HiddenPart {
  readonly from: number;
  readonly to: number;
}

/** Names of keys whose values are taken for secret, whatever they stand in. Rather one too many than one too few. */
const secretName =
  /^(?:(?:.*[-_])?(?:key|passwd|passphrase|pwd|secrets|tokens?|credentials?|jwk|authorization|cookie)|.*(?:password|passphrase|secret|token|private_?key|api_?key)|key_alt|payload|private)$/i;

/** Lists of entities that hold more than secrets: what is secret in them is named so itself. */
const entityList = /^(?:jwt_secrets|[a-z0-9_]+_credentials)$/;

function isSecretName(name: string): boolean {
  return secretName.test(name) && !entityList.test(name);
}

/** A key and what follows it, as YAML (block and flow) and JSON write them. */
const pairs = /(?<=^|[\s{,[])(["']?)([A-Za-z_][\w.-]*)\1(\s*:\s+|\s*:(?=["'])|\s*=\s*)/g;

/** What of a line must not be shown, its parts in order. Lines are counted from 1. */
export type LineMask = (line: number) => readonly HiddenPart[];

/**
 * What of the lines of a YAML or JSON file must not be shown: known secrets, values of keys that are named like secrets,
 * what stands under such a key, private keys, and the userinfo of addresses. `unknownKeys` are places of keys that nobody
 * knows: a misspelt `password` is one. The whole file is gone through once, however many of its lines are asked for.
 */
export function sourceMask(
  lines: readonly string[],
  known: readonly Location[] = [],
  unknownKeys: readonly Location[] = [],
): LineMask {
  const isUnderSecretKey = linesUnderSecretKeys(lines);
  const isPrivateKey = linesOfPrivateKeys(lines);
  const rangesOf = rangesByLine(known);
  const unknownOf = unknownByLine(unknownKeys);
  return (line) => {
    const text = lines[line - 1] ?? '';
    const indent = indentOf(text);
    if (isUnderSecretKey[line - 1] === true || isPrivateKey[line - 1] === true)
      return [{ from: indent + 1, to: text.length + 1 }];
    const parts: HiddenPart[] = [];
    const isUnknown = unknownOf(line);
    for (const match of text.matchAll(pairs)) {
      const [whole, , name = ''] = match;
      if (!isSecretName(name) && !isUnknown(match.index + 1, name)) continue;
      const start = match.index + whole.length;
      const end = valueEnd(text, start);
      if (end > start && !isPlain(text.slice(start, end))) parts.push({ from: start + 1, to: end + 1 });
    }
    for (const { index, 0: whole } of text.matchAll(/(?<=:\/\/)[^/@\s"']+(?=@)/g)) {
      parts.push({ from: index + 1, to: index + whole.length + 1 });
    }
    for (const { from = indent + 1, to = text.length + 1 } of rangesOf(line)) {
      if (to > from && !isReference(text.slice(from - 1, to - 1))) parts.push({ from, to });
    }
    return merged(parts);
  };
}

/** A part of a line that a range covers: from the indentation, and to the end, where a side is left out. */
interface Covered {
  readonly from?: number;
  readonly to?: number;
}

/** The parts of each line that ranges cover. Ranges of many lines that overlap cost no more than one. */
function rangesByLine(ranges: readonly Location[]): (line: number) => readonly Covered[] {
  const ends = new Map<number, Covered[]>();
  const between: HiddenPart[] = [];
  const put = (line: number, covered: Covered) => {
    const list = ends.get(line);
    if (list === undefined) ends.set(line, [covered]);
    else list.push(covered);
  };
  for (const { line, column, endLine, endColumn } of ranges) {
    if (line === endLine) put(line, { from: column, to: endColumn });
    else {
      put(line, { from: column });
      put(endLine, { to: endColumn });
      if (endLine > line + 1) between.push({ from: line + 1, to: endLine });
    }
  }
  const whole = merged(between);
  return (line) => {
    const found = ends.get(line) ?? [];
    return partAt(whole, line) === undefined ? found : [...found, {}];
  };
}

/** Of parts in order that do not touch, the one that has a column; undefined where none has. */
export function partAt(parts: readonly HiddenPart[], column: number): HiddenPart | undefined {
  let [low, high] = [0, parts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.to ?? 0) <= column) low = middle + 1;
    else high = middle;
  }
  const found = parts[low];
  return found !== undefined && found.from <= column ? found : undefined;
}

/** Whether the key that starts at a column (with or without a quote before it) is one that nobody knows, by the line. */
function unknownByLine(unknownKeys: readonly Location[]): (line: number) => (column: number, name: string) => boolean {
  const byLine = new Map<number, { readonly columns: Set<number>; readonly lastOf: Map<string, number> }>();
  for (const { line, column, pointer } of unknownKeys) {
    const known = byLine.get(line) ?? { columns: new Set(), lastOf: new Map() };
    byLine.set(line, known);
    known.columns.add(column);
    const name = pointer?.slice(pointer.lastIndexOf('/') + 1);
    if (name !== undefined) known.lastOf.set(name, Math.max(column, known.lastOf.get(name) ?? 0));
  }
  return (line) => {
    const known = byLine.get(line);
    if (known === undefined) return () => false;
    const { columns, lastOf } = known;
    return (column, name) => columns.has(column) || columns.has(column + 1) || (lastOf.get(name) ?? 0) >= column;
  };
}

/** A value that only says where a secret is kept. */
function isReference(value: string): boolean {
  return /^["']?(?:\{vault:\/\/[^}]*\}|\$\{\{[^}]*\}\})["']?$/.test(value.trim());
}

/** What holds no secret: nothing, the start of a block or of a collection, a reference to one kept elsewhere. */
function isPlain(value: string): boolean {
  return /^(?:|[|>][-+\d]*|[{[]|null|~|true|false|["']?(?:\{vault:\/\/[^}]*\}|\$\{\{.*\}\}|\$\{[^}]*\})["']?)$/.test(
    value.trim(),
  );
}

/** The end of a value that starts at an index: of a quoted text, of a flow item, or of the line. */
function valueEnd(text: string, start: number): number {
  const quote = text[start];
  if (quote === '"' || quote === "'") {
    for (let index = start + 1; index < text.length; index += 1) {
      if (quote === '"' && text[index] === '\\') index += 1;
      else if (text[index] === quote) return index + 1;
    }
    return text.length;
  }
  const inFlow = /[{[]/.test(text.slice(0, start));
  if (!inFlow) return text.trimEnd().length;
  const placeholder = /^\$\{\{.*?\}\}/.exec(text.slice(start));
  if (placeholder !== null) return start + placeholder[0].length;
  const rest = text.slice(start).search(/[,}\]]/);
  return rest === -1 ? text.trimEnd().length : start + rest;
}

/** Of each line whether it continues the value of a secret key above it (a block text, a list, a map), by indentation. */
function linesUnderSecretKeys(lines: readonly string[]): readonly boolean[] {
  const result: boolean[] = [];
  const around: { readonly indent: number; readonly index: number }[] = [];
  for (const [index, text] of lines.entries()) {
    const indent = indentOf(text);
    const isBlank = text.trim() === '';
    // A blank line ends nothing.
    const parent = isBlank ? around.findLast((one) => one.indent < indent) : lastBelow(around, indent);
    result.push(
      parent !== undefined && (result[parent.index] === true || isSecretKeyOf(lines[parent.index] ?? '', indent)),
    );
    if (!isBlank) around.push({ indent, index });
  }
  return result;
}

function lastBelow<T extends { readonly indent: number }>(around: T[], indent: number): T | undefined {
  while ((around.at(-1)?.indent ?? -1) >= indent) around.pop();
  return around.at(-1);
}

/** Whether what is indented so far belongs to the secret key that a line holds. */
function isSecretKeyOf(text: string, indent: number): boolean {
  const name = /^([\s-]*)(["']?)([A-Za-z_][\w.-]*)\2\s*:/.exec(text);
  // A text in quotes or a plain one may go on in the next line, so what stands behind the colon makes no difference.
  // A key behind a dash is beside what is as far to the right as the key itself.
  return name !== null && (name[1] ?? '').length < indent && isSecretName(name[3] ?? '');
}

/** Of each line whether it is part of a private key in PEM, wherever that stands. */
function linesOfPrivateKeys(lines: readonly string[]): readonly boolean[] {
  let isInside = false;
  return lines.map((text) => {
    const begins = /-----BEGIN [A-Z ]*PRIVATE KEY/.test(text);
    const result = begins || (isInside && !/:(?:\s|$)|^\s*- /.test(text));
    isInside = begins || (isInside && /^[\sA-Za-z0-9+/=]*$|^\s*(?:Proc-Type|DEK-Info):/.test(text));
    return result;
  });
}

/** Parts in order, those that touch as one. */
export function merged(parts: readonly HiddenPart[]): readonly HiddenPart[] {
  const result: HiddenPart[] = [];
  for (const part of [...parts].sort((a, b) => a.from - b.from)) {
    const last = result.at(-1);
    if (last !== undefined && part.from <= last.to) {
      result[result.length - 1] = { from: last.from, to: Math.max(last.to, part.to) };
    } else result.push(part);
  }
  return result;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
