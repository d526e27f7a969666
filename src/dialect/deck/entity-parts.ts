import type { RawEntity, RawReference } from '../../model/assemble.ts';
import { isJsonObject, type Json, type JsonObject, type JsonPath } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';

/** An entity that another one is nested in, and the foreign key that this sets. */
export interface Parent {
  readonly entity: RawEntity;
  readonly field: string;
}

/** Lists of group members, by the kind that they stand in. */
export function isMembershipKey(kind: KindName, key: string): boolean {
  return (kind === 'consumers' && key === 'groups') || (kind === 'consumer_groups' && key === 'consumers');
}

/** Whether a reference, as written, names a certain entity. */
export function namesItself(value: Json, { id, fields }: RawEntity): boolean {
  const named = isJsonObject(value) ? Object.values(value) : [value];
  const own = [id, fields['name'], fields['username'], fields['custom_id'], fields['prefix']];
  return named.length > 0 && named.every((text) => typeof text === 'string' && own.includes(text));
}

/** The reference that nesting in a parent stands for. */
export function nestedReference(parent: Parent): RawReference {
  return { field: parent.field, index: null, to: { entity: parent.entity } };
}

/** The first of these that an entity has stands for it. */
const headings = ['name', 'username', 'custom_id', 'target', 'prefix', 'group', 'client_id', 'kid', 'subject_name'];

/** The path of what stands for a whole entity: its name, or what comes nearest to one. */
export function headingOf(path: JsonPath, value: JsonObject): JsonPath {
  const key = headings.find((candidate) => Object.hasOwn(value, candidate)) ?? Object.keys(value)[0];
  return key === undefined ? path : [...path, key];
}
