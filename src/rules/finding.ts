import { type Entity, entityName } from '../model/entity.ts';
import type { JsonPath } from '../model/json.ts';
import type { Location } from '../model/location.ts';
import type { Finding } from './rule.ts';

/** A finding about one field of an entity, with other entities that it concerns, each at its own place. */
export function findingAt(
  entity: Entity,
  path: JsonPath,
  message: string,
  hint: string,
  others: readonly { readonly entity: Entity; readonly path: JsonPath }[] = [],
): Finding {
  return {
    message,
    hint,
    locations: [{ entity, path }, ...others].flatMap((one) => placeOf(one.entity, one.path) ?? []),
    entities: [entity, ...others.map((one) => one.entity)].map(entityName),
  };
}

function placeOf({ source }: Entity, path: JsonPath): Location | null {
  if (source === null) return null;
  return path.length === 0 ? source.location : source.at(path);
}
