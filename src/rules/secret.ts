import type { Entity } from '../model/entity.ts';
import { type JsonPath, valueAt } from '../model/json.ts';
import { comesFromEnvironment, touchesSecretField } from '../model/secret.ts';

/** Whether a value of an entity must never be shown: secret by the registry, or from the environment. */
export function isSecret(entity: Entity, path: JsonPath): boolean {
  return touchesSecretField(entity.kind, path) || comesFromEnvironment(entity, path);
}

/** A text value as a message may show it: in quotes, or null where it is secret, no text, or too long to read. */
export function shownValue(entity: Entity, path: JsonPath): string | null {
  const value = valueAt(entity.fields, path);
  if (typeof value !== 'string' || value.length > 200 || isSecret(entity, path)) return null;
  return JSON.stringify(value);
}
