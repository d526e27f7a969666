import type { Entity } from './entity.ts';
import { fromPointer, isJsonArray, isJsonObject, type Json, type JsonPath, toPointer, valueAt } from './json.ts';
import type { KindName } from './kind.ts';
import { kinds } from './kinds.ts';

/** The steps to values that are secret; `*` stands for any run of characters within one step. */
export type SecretPattern = readonly string[];

/** The places of a kind's fields that the registry calls secret. */
export function secretPatterns(kind: KindName): readonly SecretPattern[] {
  const known = byKind.get(kind);
  if (known !== undefined) return known;
  const patterns = kinds[kind].secrets.map(fromPointer);
  byKind.set(kind, patterns);
  return patterns;
}

const byKind = new Map<KindName, readonly SecretPattern[]>();

/** Whether the registry calls the value at a path secret, or what it is part of. */
export function isSecretField(kind: KindName, path: JsonPath): boolean {
  return secretPatterns(kind).some((pattern) => pattern.length <= path.length && agree(pattern, path));
}

/** Whether the registry calls the value at a path secret, or a part of it, or what it is part of. */
export function touchesSecretField(kind: KindName, path: JsonPath): boolean {
  return secretPatterns(kind).some((pattern) => agree(pattern, path));
}

/** Whether a value, a part of it, or what it is part of came from the environment. */
export function comesFromEnvironment(entity: Entity, path: JsonPath): boolean {
  if (entity.fromEnvironment.size === 0) return false;
  const pointer = toPointer(path);
  for (const known of entity.fromEnvironment.keys()) {
    if (known === pointer || known.startsWith(`${pointer}/`) || pointer.startsWith(`${known}/`)) return true;
  }
  return false;
}

/**
 * The texts by which an entity names what is not there, where the environment brought them: they are in the names of
 * what belongs to it. What is there is shown by its own name.
 */
export function hiddenReferences(entity: Entity): readonly string[] {
  return entity.references.flatMap(({ resolved, fromEnvironment, identity, id }) => {
    if (resolved || fromEnvironment !== true) return [];
    return [identity, ...(id === null ? [] : [id])].filter((text) => text !== '');
  });
}

/** Paths of the values that a pattern means and that are there; null is no value. */
export function placesOf(value: Json | undefined, pattern: SecretPattern): readonly JsonPath[] {
  return places(value, pattern, []);
}

/**
 * The texts that must not be shown of an entity: what came from the environment, what the registry calls secret, and
 * what further patterns (a schema's) mean. Longest first, each once.
 */
export function secretTexts(entity: Entity, further: readonly SecretPattern[] = []): readonly string[] {
  const texts = new Set<string>();
  const patterns = [...secretPatterns(entity.kind), ...further];
  const paths = [
    ...[...entity.fromEnvironment.keys()].map(fromPointer),
    ...patterns.flatMap((pattern) => placesOf(entity.fields, pattern)),
  ];
  for (const path of paths) for (const text of leaves(valueAt(entity.fields, path))) texts.add(text);
  return [...texts].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** The texts and numbers that a value is made of, as text. */
export function leaves(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null || typeof value === 'boolean') return [];
  if (isJsonArray(value)) return value.flatMap(leaves);
  if (isJsonObject(value)) return Object.values(value).flatMap(leaves);
  return [String(value)];
}

function agree(pattern: SecretPattern, path: JsonPath): boolean {
  return path.every((step, index) => {
    const wanted = pattern[index];
    return wanted === undefined || stepTest(wanted)(String(step));
  });
}

function places(value: Json | undefined, pattern: SecretPattern, path: JsonPath): readonly JsonPath[] {
  if (value === undefined || value === null) return [];
  const [step, ...rest] = pattern;
  if (step === undefined) return [path];
  if (isJsonArray(value)) {
    return step === '*' ? value.flatMap((item, index) => places(item, rest, [...path, index])) : [];
  }
  if (!isJsonObject(value)) return [];
  if (!step.includes('*')) return Object.hasOwn(value, step) ? places(value[step], rest, [...path, step]) : [];
  const test = stepTest(step);
  return Object.entries(value).flatMap(([key, inner]) => (test(key) ? places(inner, rest, [...path, key]) : []));
}

const tests = new Map<string, (step: string) => boolean>();

function stepTest(pattern: string): (step: string) => boolean {
  const known = tests.get(pattern);
  if (known !== undefined) return known;
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 's');
  const test = parts.length === 1 ? (step: string) => step === pattern : (step: string) => expression.test(step);
  tests.set(pattern, test);
  return test;
}
