import type { Entity } from '../model/entity.ts';
import { type JsonPath, toPointer, valueAt } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';

/** Whether a value of an entity must never be shown: secret by the registry, or from the environment. */
export function isSecret(entity: Entity, path: JsonPath): boolean {
  return secretByKind(entity.kind, path) || comesFromEnvironment(entity, path);
}

/** Whether a value, a part of it, or what it is part of came from the environment. */
export function comesFromEnvironment(entity: Entity, path: JsonPath): boolean {
  if (entity.fromEnvironment.size === 0) return false;
  const pointer = toPointer(path);
  for (const known of entity.fromEnvironment.keys()) {
    if (known === pointer || known.startsWith(`${pointer}/`) || pointer.startsWith(`${known}/`)) return true;
  }
  return false;
}

/** A text value as a message may show it: in quotes, or null where it is secret, no text, or too long to read. */
export function shownValue(entity: Entity, path: JsonPath): string | null {
  const value = valueAt(entity.fields, path);
  if (typeof value !== 'string' || value.length > 200 || isSecret(entity, path)) return null;
  return JSON.stringify(value);
}

/** Whether the registry calls the value at a path secret, or a part of it, or what it is part of. */
function secretByKind(kind: KindName, path: JsonPath): boolean {
  return kinds[kind].secrets.some((pointer) => {
    const steps = pointer.split('/').slice(1);
    return path.every((step, index) => {
      const pattern = steps[index];
      return pattern === undefined || matches(pattern, String(step));
    });
  });
}

function matches(pattern: string, step: string): boolean {
  if (!pattern.includes('*')) return pattern === step;
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`, 's').test(step);
}
