import type { Entity } from '../model/entity.ts';
import { fromPointer, isJsonArray, isJsonObject, type Json, type JsonPath } from '../model/json.ts';
import { kinds } from '../model/kinds.ts';
import type { Location } from '../model/location.ts';
import { allEntities, type State } from '../model/state.ts';
import { entitySchema } from '../schema/entity-schema.ts';
import type { RecordSchema, Schemas } from '../schema/schema.ts';
import { secretPaths } from '../schema/secret-paths.ts';

/**
 * Where in the files the values stand that the registry or a schema calls secret, so that a source line can be shown
 * without them. Made when a file is first asked for.
 */
export function secretPlaces(state: State, schemas: Schemas): (file: string) => readonly Location[] {
  let byFile: ReadonlyMap<string, readonly Location[]> | undefined;
  return (file) => {
    byFile ??= placesByFile(state, schemas);
    return byFile.get(file) ?? [];
  };
}

function placesByFile(state: State, schemas: Schemas): ReadonlyMap<string, readonly Location[]> {
  const patterns = new Map<RecordSchema | undefined, readonly (readonly string[])[]>();
  const byFile = new Map<string, Location[]>();
  for (const entity of allEntities(state)) {
    const { source } = entity;
    if (source === null) continue;
    for (const path of secretValues(entity, patternsOf(entity, schemas, patterns))) {
      const place = source.at(path);
      const places = byFile.get(place.file);
      if (places === undefined) byFile.set(place.file, [place]);
      else places.push(place);
    }
  }
  return byFile;
}

function patternsOf(
  entity: Entity,
  schemas: Schemas,
  known: Map<RecordSchema | undefined, readonly (readonly string[])[]>,
): readonly (readonly string[])[] {
  const schema = entitySchema(schemas, entity.kind, entity.fields);
  const bySchema = known.get(schema) ?? (schema === undefined ? [] : secretPaths(schema).map(fromPointer));
  known.set(schema, bySchema);
  return [...kinds[entity.kind].secrets.map(fromPointer), ...bySchema];
}

/** Paths of the values that the patterns mean and that the entity has. */
function secretValues(entity: Entity, patterns: readonly (readonly string[])[]): readonly JsonPath[] {
  return patterns.flatMap((pattern) => matching(entity.fields, pattern, []));
}

function matching(value: Json | undefined, pattern: readonly string[], path: JsonPath): readonly JsonPath[] {
  if (value === undefined || value === null) return [];
  const [step, ...rest] = pattern;
  if (step === undefined) return [path];
  if (isJsonArray(value)) {
    return step === '*' ? value.flatMap((item, index) => matching(item, rest, [...path, index])) : [];
  }
  if (!isJsonObject(value)) return [];
  if (!step.includes('*')) return Object.hasOwn(value, step) ? matching(value[step], rest, [...path, step]) : [];
  const parts = step.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const test = new RegExp(`^${parts.join('.*')}$`, 's');
  return Object.entries(value).flatMap(([key, inner]) => (test.test(key) ? matching(inner, rest, [...path, key]) : []));
}
