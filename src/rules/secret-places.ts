import type { Entity } from '../model/entity.ts';
import { fromPointer, type JsonPath } from '../model/json.ts';
import type { Location } from '../model/location.ts';
import { placesOf, type SecretPattern, secretPatterns } from '../model/secret.ts';
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
  const patterns = new Map<RecordSchema | undefined, readonly SecretPattern[]>();
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
  known: Map<RecordSchema | undefined, readonly SecretPattern[]>,
): readonly SecretPattern[] {
  const schema = entitySchema(schemas, entity.kind, entity.fields);
  const bySchema = known.get(schema) ?? (schema === undefined ? [] : secretPaths(schema).map(fromPointer));
  known.set(schema, bySchema);
  return [...secretPatterns(entity.kind), ...bySchema];
}

/** Paths of the values that the patterns mean and that the entity has. */
function secretValues(entity: Entity, patterns: readonly SecretPattern[]): readonly JsonPath[] {
  return patterns.flatMap((pattern) => placesOf(entity.fields, pattern));
}
