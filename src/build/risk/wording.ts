import type { Entity } from '../../model/entity.ts';
import { comesFromEnvironment } from '../../model/secret.ts';

/** Names in a sentence: `"a", "b", "c" and 7 more`. */
export function namesOf(entities: readonly Entity[], most = 3): string {
  return listOf(
    entities.map(({ name }) => `"${name}"`),
    most,
  );
}

/** Parts in a sentence, the first ones in full: `a, b and c`, or `a, b, c and 7 more`. */
export function listOf(parts: readonly string[], most = 3): string {
  if (parts.length > most) return `${parts.slice(0, most).join(', ')} and ${parts.length - most} more`;
  const last = parts.at(-1) ?? '';
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(', ')} and ${last}`;
}

/** A number of things: `1 route`, `3 routes`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The value of a field as it may be shown: one that came from the environment is named for its variable. */
export function shownField(entity: Entity, field: string, value: unknown): string {
  if (comesFromEnvironment(entity, [field]))
    return `the value of ${entity.fromEnvironment.get(`/${field}`) ?? 'a variable'}`;
  return typeof value === 'string' ? `"${value}"` : String(value ?? 'nothing');
}
