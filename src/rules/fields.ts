import { type Entity, referenceOf } from '../model/entity.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, valueAt } from '../model/json.ts';

/** The texts of a list field; an absent field has none. */
export function textsOf(entity: Entity, ...path: JsonPath): readonly string[] {
  const value = valueAt(entity.fields, path);
  return isJsonArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A text field, or null where it is absent or no text. */
export function textOf(entity: Entity, ...path: JsonPath): string | null {
  const value = valueAt(entity.fields, path);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A plugin's configuration; empty where it has none. */
export function configOf(plugin: Entity): JsonObject {
  const config: Json | undefined = plugin.fields['config'];
  return isJsonObject(config) ? config : {};
}

/** Whether an entity is in use: Kong passes over services, plugins and the like with `enabled: false`. */
export function isEnabled(entity: Entity): boolean {
  return entity.fields['enabled'] !== false;
}

/** The id of what a foreign key names, or null where it is unset or names nothing. */
export function idOf(entity: Entity, field: string): string | null {
  return referenceOf(entity, field)?.id ?? null;
}
