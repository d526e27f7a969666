import type { Entity } from '../model/entity.ts';
import { fromPointer, isJsonArray, isJsonObject, type Json, valueAt } from '../model/json.ts';
import { allEntities, type State } from '../model/state.ts';

/** Shorter words are in too many texts to be told from a secret by themselves. */
const shortestTelling = 6;

/**
 * Makes a function that masks in a sentence or a name whatever came from the environment: a name that is written so
 * enters the names of what belongs to it, too.
 */
export function environmentMask(state: State): (text: string) => string {
  const values = new Set<string>();
  for (const entity of allEntities(state)) addValues(entity, values);
  if (values.size === 0) return (text) => text;
  const longestFirst = [...values].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  return (text) => {
    if (values.has(text)) return '***';
    let masked = text;
    for (const value of longestFirst) {
      if (value.length >= shortestTelling) {
        if (masked.includes(value)) masked = masked.replaceAll(value, '***');
      } else if (masked.includes(`"${value}"`)) masked = masked.replaceAll(`"${value}"`, '"***"');
    }
    return masked;
  };
}

function addValues(entity: Entity, values: Set<string>): void {
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
