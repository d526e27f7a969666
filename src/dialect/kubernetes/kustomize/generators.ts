import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../../../model/json.ts';
import { KustomizeProblem } from './problem.ts';
import type { Resource } from './resource.ts';
import { isMapping, type Place, plain, type Traced, type TracedMapping, tracedText } from './traced.ts';

/** Reads a file of the folder that is built, as its bytes. */
export type ReadBytes = (path: string, place: Place) => Uint8Array;

/** The `data` (and `binaryData`) that a generator of a ConfigMap or Secret comes to. */
export function generatedData(
  generator: Traced,
  kind: 'ConfigMap' | 'Secret',
  read: ReadBytes,
): { readonly data: Map<string, Traced>; readonly binaryData: Map<string, Traced> } {
  const collected = new Collected(kind);
  for (const text of textsOf(generator, 'envs', 'env'))
    readEnvironment(String(text.value), text.place, read, collected);
  for (const text of textsOf(generator, 'literals')) {
    const [key, value] = split(String(text.value), text.place, 'literals');
    const bare = value.replace(/^["']+|["']+$/g, '');
    collected.add(key, Buffer.from(bare), text.place);
  }
  for (const text of textsOf(generator, 'files')) {
    const written = String(text.value);
    const equals = written.indexOf('=');
    const path = equals === -1 ? written : written.slice(equals + 1);
    const key = equals === -1 ? (path.split('/').at(-1) ?? '') : written.slice(0, equals);
    collected.add(key, read(path, text.place), text.place);
  }
  return collected;
}

class Collected {
  readonly data = new Map<string, Traced>();
  readonly binaryData = new Map<string, Traced>();
  readonly #kind: 'ConfigMap' | 'Secret';

  constructor(kind: 'ConfigMap' | 'Secret') {
    this.#kind = kind;
  }

  /** Problems are told without the key: a value that was put in its place may be a secret. */
  add(key: string, bytes: Uint8Array, place: Place): void {
    if (!/^[-._a-zA-Z0-9]{1,253}$/.test(key)) {
      const hint = 'Keys are made of letters, digits, -, _ and dots.';
      throw new KustomizeProblem(`What stands before the = here cannot be a key of a ${this.#kind}`, hint, place);
    }
    if (this.data.has(key) || this.binaryData.has(key)) {
      const hint = 'Give it a key of its own.';
      throw new KustomizeProblem('A key comes up twice here', hint, place);
    }
    const text = this.#kind === 'Secret' ? null : textOf(bytes);
    if (text === null) {
      const value = Buffer.from(bytes).toString('base64');
      (this.#kind === 'Secret' ? this.data : this.binaryData).set(key, { place, value });
    } else this.data.set(key, { place, value: text });
  }
}

function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function readEnvironment(path: string, place: Place, read: ReadBytes, collected: Collected): void {
  const text = textOf(read(path, place));
  if (text === null) throw new KustomizeProblem(`${path} is no UTF-8 text`, 'Write KEY=VALUE lines.', place);
  for (const line of text.replace(/^\uFEFF/, '').split('\n')) {
    const trimmed = line.replace(/\r$/, '').trimStart();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const [key, value] = split(trimmed, place, path);
    collected.add(key, Buffer.from(value), place);
  }
}

/** Both sides of KEY=VALUE. What is wrong is told without the text, which may be a secret. */
function split(text: string, place: Place, where: string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  const hint = 'The environment of whoever runs Kustomize is not looked at.';
  throw new KustomizeProblem(`An entry of ${where} is no KEY=VALUE`, hint, place);
}

function textsOf(mapping: Traced, ...fields: readonly string[]): readonly Traced[] {
  if (!isMapping(mapping)) return [];
  return fields.flatMap((field) => {
    const value = mapping.value.get(field);
    return Array.isArray(value?.value) ? value.value : value === undefined || value.value === null ? [] : [value];
  });
}

/** The end of the name of what is generated: a hash of what it holds, whatever it is called, as Kustomize has it. */
export function contentHash({ tree, kind }: Resource): string {
  const part = (field: string): Json => {
    const found = tree.value.get(field);
    return found === undefined ? '' : plain(found);
  };
  const value: { [key: string]: Json } = { kind, name: '', data: part('data') };
  if (kind === 'Secret') {
    value['type'] = part('type');
    value['data'] = wrapped(tree);
    if (isMapping(tree.value.get('stringData'))) value['stringData'] = part('stringData');
  } else if (isMapping(tree.value.get('binaryData'))) value['binaryData'] = wrapped(tree, 'binaryData');
  const digest = createHash('sha256')
    .update(escaped(canonicalJson(value)))
    .digest('hex');
  const letters: { readonly [digit: string]: string } = { '0': 'g', '1': 'h', '3': 'k', a: 'm', e: 't' };
  return digest.slice(0, 10).replace(/[013ae]/g, (digit) => letters[digit] ?? digit);
}

/** Base64 of more than 70 characters goes into the hash in lines. */
function wrapped(tree: TracedMapping, field = 'data'): Json {
  const data = tree.value.get(field);
  if (!isMapping(data)) return '';
  const entries = [...data.value].map(([key, { value }]) => [
    key,
    String(value).length < 70 ? value : String(value).replace(/.{1,70}/g, '$&\n'),
  ]);
  return Object.fromEntries(entries);
}

/** JSON as Go writes it. */
function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** What is generated may say what becomes of one that a base has: `create`, `merge` or `replace`. */
export function behaviourOf(generator: Traced): 'create' | 'merge' | 'replace' {
  const written = tracedText(generator, 'behavior') ?? 'create';
  if (written === 'create' || written === 'merge' || written === 'replace') return written;
  throw new KustomizeProblem('`behavior` is create, merge or replace', 'Write one of the three.', generator.place);
}
