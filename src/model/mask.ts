import type { Entity } from './entity.ts';
import { fromPointer, isJsonArray, isJsonObject, type Json, valueAt } from './json.ts';
import { hiddenReferences } from './secret.ts';
import { allEntities, type State } from './state.ts';

/** Shorter words are in too many texts to be told from a secret by themselves. */
const shortestTelling = 6;

/**
 * Makes a function that masks in a sentence or a name whatever came from the environment: a name that is written so
 * enters the names of what belongs to it, too. What a diagnostic calls an entity is its name through this.
 */
export function environmentMask(state: State): (text: string) => string {
  const known = masks.get(state);
  if (known !== undefined) return known;
  const values = new Set<string>();
  for (const entity of allEntities(state)) addValues(entity, values);
  const mask = textMask(values);
  masks.set(state, mask);
  return mask;
}

const masks = new WeakMap<State, (text: string) => string>();

/** Makes a function that masks texts that must not be shown, wherever a sentence, a name or a path has them. */
export function textMask(texts: ReadonlySet<string>): (text: string) => string {
  if (texts.size === 0) return (text) => text;
  const longestFirst = [...texts].filter((text) => text !== '').sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const forms = longestFirst.map((hidden) => ({
    hidden,
    short: hidden.length < shortestTelling ? shortForm(hidden) : null,
  }));
  return (text) => {
    if (text !== '' && texts.has(text)) return '***';
    let masked = text;
    for (const { hidden, short } of forms) {
      if (masked.includes(hidden)) masked = masked.replaceAll(short ?? hidden, '***');
    }
    return masked;
  };
}

/** A short text as a whole word of a name or a path, or in quotes. */
function shortForm(text: string): RegExp {
  const literal = text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<=^|["\`./:])${literal}(?=["\`./[:]|$)`, 'g');
}

function addValues(entity: Entity, values: Set<string>): void {
  for (const text of hiddenReferences(entity)) values.add(text);
  for (const pointer of entity.fromEnvironment.keys()) {
    for (const leaf of leaves(valueAt(entity.fields, fromPointer(pointer)))) if (leaf !== '') values.add(leaf);
  }
}

function leaves(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null || typeof value === 'boolean') return [];
  if (isJsonArray(value)) return value.flatMap(leaves);
  if (isJsonObject(value)) return Object.values(value).flatMap(leaves);
  return [String(value)];
}
