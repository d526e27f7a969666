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

/**
 * What of a line of a YAML or JSON file must not be shown: known secrets, values of keys that are named like secrets,
 * what stands under such a key, private keys, and the userinfo of addresses. `unknownKeys` are places of keys that nobody
 * knows: a misspelt `password` is one. Lines are counted from 1.
 */
export function hiddenParts(
  lines: readonly string[],
  line: number,
  known: readonly Location[] = [],
  unknownKeys: readonly Location[] = [],
): readonly HiddenPart[] {
  const text = lines[line - 1] ?? '';
  const indent = indentOf(text);
  if (underSecretKey(lines, line, indent) || insidePrivateKey(lines, line))
    return [{ from: indent + 1, to: text.length + 1 }];
  const parts: HiddenPart[] = [];
  for (const match of text.matchAll(pairs)) {
    const [whole, , name = ''] = match;
    if (!isSecretName(name) && !startsUnknownKey(line, match.index + 1, name, unknownKeys)) continue;
    const start = match.index + whole.length;
    const end = valueEnd(text, start);
    if (end > start && !isPlain(text.slice(start, end))) parts.push({ from: start + 1, to: end + 1 });
  }
  for (const { index, 0: whole } of text.matchAll(/(?<=:\/\/)[^/@\s"']+(?=@)/g)) {
    parts.push({ from: index + 1, to: index + whole.length + 1 });
  }
  for (const range of known) {
    if (range.line > line || range.endLine < line) continue;
    const from = range.line === line ? range.column : indent + 1;
    const to = range.endLine === line ? range.endColumn : text.length + 1;
    if (to > from && !isReference(text.slice(from - 1, to - 1))) parts.push({ from, to });
  }
  return merged(parts);
}

/** Whether the key that starts at a column (with or without a quote before it) is one that nobody knows. */
function startsUnknownKey(line: number, column: number, name: string, unknownKeys: readonly Location[]): boolean {
  return unknownKeys.some((place) => {
    if (place.line !== line) return false;
    if (place.column >= column && place.column <= column + 1) return true;
    return place.pointer?.endsWith(`/${name}`) === true && place.column >= column;
  });
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

/** Whether a line continues the value of a secret key above it (a block text, a list, a map), by indentation. */
function underSecretKey(lines: readonly string[], line: number, indent: number): boolean {
  let least = indent;
  for (let index = line - 2; index >= 0 && least > 0; index -= 1) {
    const text = lines[index] ?? '';
    if (text.trim() === '' || indentOf(text) >= least) continue;
    const name = /^([\s-]*)(["']?)([A-Za-z_][\w.-]*)\2\s*:(.*)$/.exec(text);
    // A text in quotes or a plain one may go on in the next line, so what stands behind the colon makes no difference.
    // A key behind a dash is beside what is as far to the right as the key itself.
    if (name !== null && (name[1] ?? '').length < least && isSecretName(name[3] ?? '')) return true;
    least = indentOf(text);
  }
  return false;
}

/** Whether a line is part of a private key in PEM, wherever that stands. */
function insidePrivateKey(lines: readonly string[], line: number): boolean {
  for (let index = line - 1; index >= 0; index -= 1) {
    const text = lines[index] ?? '';
    if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)) return true;
    const isKeyText =
      index === line - 1
        ? !/:(?:\s|$)|^\s*- /.test(text)
        : /^[\sA-Za-z0-9+/=]*$|^\s*(?:Proc-Type|DEK-Info):/.test(text);
    if (!isKeyText) return false;
  }
  return false;
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
