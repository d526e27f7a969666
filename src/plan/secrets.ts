import { createHash } from 'node:crypto';
import { isCredentialText, isSecretWord } from '../model/credential-text.ts';
import type { Entity } from '../model/entity.ts';
import { fromPointer, type Json, valueAt } from '../model/json.ts';
import { hiddenReferences, leaves, secretPatterns } from '../model/secret.ts';
import { allEntities, type State } from '../model/state.ts';

/** What is shown for a value that must not be. */
export const masked = '***';

/** Short words are in too many places to be told from a secret by their value alone. */
const shortestTelling = 6;

/** Values of the environment that are shorter are numbers and the like. */
const shortestHidden = 3;

/** Which values of a plan are secret, wherever they turn up. */
export interface Secrets {
  /** Whether a leaf value is a secret known from elsewhere in the target state or in the live one. */
  readonly known: (value: Json) => boolean;
  /** A name that is declared, with every secret in it masked. */
  readonly inName: (name: string) => string;
  /**
   * The name of what is live and need not be declared any more, masked likewise: what it was given from the environment
   * once is no longer in the files, but still in the environment.
   */
  readonly inLiveName: (name: string) => string;
  /** The path of a field with every key that came from the environment masked; the field itself is never one. */
  readonly inPath: (path: readonly string[]) => readonly string[];
}

/**
 * Gathers the secret values of both sides: what came from the environment, and the secret fields of the registry.
 * `hidden` are values of the environment that files may have had before.
 */
export function gatherSecrets(target: State, live: State, hidden: readonly string[] = []): Secrets {
  const values = new Set<string>();
  const inNames = new Set<string>();
  for (const entity of [...allEntities(target), ...allEntities(live)]) {
    for (const pointer of entity.fromEnvironment.keys()) {
      const path = fromPointer(pointer);
      for (const leaf of leaves(valueAt(entity.fields, path))) {
        if (leaf.length >= shortestTelling) values.add(leaf);
        if (path.length === 1 && leaf !== '') inNames.add(leaf);
      }
    }
    for (const text of hiddenReferences(entity)) {
      if (text.length >= shortestTelling) values.add(text);
      inNames.add(text);
    }
    for (const pattern of secretPatterns(entity.kind)) {
      // What is secret only by a likely name is not so telling that its value were one wherever it turns up.
      if (pattern.some((step) => step.includes('*'))) continue;
      for (const leaf of leaves(valueAt(entity.fields, pattern))) {
        if (leaf.length >= shortestTelling) values.add(leaf);
      }
    }
  }
  for (const value of hidden) if (value.length >= shortestTelling) values.add(value);
  const nameParts = longestFirst(inNames);
  const hiddenParts = longestFirst(hidden.filter((value) => value.length >= shortestHidden));
  const inName = (name: string) => {
    if (values.has(name)) return masked;
    return nameParts.reduce((text, part) => text.replaceAll(part, masked), name);
  };
  const declared = new Set(allEntities(target).map(({ name }) => name));
  return {
    known: (value) => (typeof value === 'string' || typeof value === 'number') && values.has(String(value)),
    inName,
    inLiveName: (name) => {
      const shown = inName(name);
      return declared.has(name) ? shown : hiddenParts.reduce(withoutPart, shown);
    },
    inPath: (path) => path.map((step, index) => (index === 0 ? step : hiddenParts.reduce(withoutPart, step))),
  };
}

function longestFirst(texts: Iterable<string>): readonly string[] {
  return [...new Set(texts)].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/** A short value is masked as a whole part of a name only: it is in too many words. */
function withoutPart(name: string, value: string): string {
  if (value.length >= shortestTelling) return name.replaceAll(value, masked);
  return name
    .split(/([/:.@])/)
    .map((part) => (part === value ? masked : part))
    .join('');
}

/** Values that came from the environment, of one entity: places that are never shown, and the values themselves. */
export interface OwnSecrets {
  readonly covers: (path: readonly string[]) => boolean;
  readonly has: (value: Json | undefined) => boolean;
}

const none: OwnSecrets = { covers: () => false, has: () => false };

/** What one entity (either side of it) got from the environment. */
export function ownSecrets(...sides: readonly (Entity | undefined)[]): OwnSecrets {
  const entities = sides.filter((side) => side !== undefined && side.fromEnvironment.size > 0);
  if (entities.length === 0) return none;
  const paths: (readonly string[])[] = [];
  const values = new Set<string>();
  for (const entity of entities) {
    for (const pointer of entity?.fromEnvironment.keys() ?? []) {
      const path = fromPointer(pointer);
      paths.push(path);
      for (const leaf of leaves(valueAt(entity?.fields, path))) if (leaf !== '') values.add(leaf);
    }
  }
  const long = [...values].filter((value) => value.length >= shortestTelling);
  return {
    covers: (path) =>
      paths.some((secret) => secret.slice(0, path.length).every((step, index) => samePlace(step, path[index]))),
    has: (value) => {
      if (typeof value !== 'string' && typeof value !== 'number') return false;
      const text = String(value);
      return values.has(text) || long.some((part) => text.includes(part));
    },
  };
}

/** A set may be compared in another order than it was written in, so all of a list is as secret as one of its items. */
function samePlace(step: string, other: string | undefined): boolean {
  return other === undefined || step === other || (/^\d+$/.test(step) && /^\d+$/.test(other));
}

/** A value as it may be shown: a certificate is long and no secret, so its digest stands for it. */
export function shown(value: Json): Json {
  if (typeof value !== 'string' || !value.includes('-----BEGIN CERTIFICATE-----')) return value;
  return `certificate sha256:${createHash('sha256').update(value, 'utf8').digest('hex').slice(0, 16)}`;
}

/**
 * Whether a text is likely to be a secret by what it is called, where no schema can say: a key of a map that the user
 * named (`Authorization` among headers to send), or a header in one text. This is what keeps an old live value from view
 * whose new one no longer comes from the environment.
 */
export function looksSecret(path: readonly string[], freeKey: boolean, value: Json | undefined): boolean {
  if (typeof value !== 'string') return false;
  return (freeKey && isSecretWord(path.at(-1) ?? '')) || isCredentialText(value);
}
