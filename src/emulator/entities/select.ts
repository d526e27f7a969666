import { isUuid } from '../../model/derived-id.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Answer, envelope } from '../http/answers.ts';
import type { Collection } from '../state/collections.ts';
import { fieldError } from '../state/entity-check.ts';
import type { Gateway } from '../state/gateway.ts';
import type { Stored } from '../state/store.ts';

/** What a key in a path names. A key that can name nothing is refused. */
export type Selected =
  | { readonly found: Stored | undefined; readonly by: { readonly field: string; readonly value: string } }
  | { readonly refused: Answer };

/**
 * The entity that a key in a path names: by id where it looks like one, by the collection's endpoint key else (kong.md,
 * "Endpoint keys").
 */
export function select(gateway: Gateway, collection: Collection, key: string): Selected {
  if (isUuid(key)) {
    return {
      found: alive(gateway, gateway.store.get(collection.name, key)),
      by: { field: 'id', value: key.toLowerCase() },
    };
  }
  if (collection.name === 'certificates') return selectBySni(gateway, key);
  const field = collection.endpointKey;
  if (field === null || collection.name === 'targets') {
    return { refused: envelope(1, 'this is no id', { fields: { id: 'expected a valid UUID' } }) };
  }
  const fault = fieldError(gateway.schemas, collection.name, field, key);
  if (fault !== null) return { refused: envelope(10, fault, {}, `invalid unique ${field}`) };
  return { found: alive(gateway, gateway.store.findUnique(collection.name, field, key)), by: { field, value: key } };
}

function selectBySni(gateway: Gateway, name: string): Selected {
  const fault = fieldError(gateway.schemas, 'snis', 'name', name);
  if (fault !== null) return { refused: envelope(10, fault, {}, 'invalid unique name') };
  const certificate = gateway.store.findUnique('snis', 'name', name)?.['certificate'];
  const id = (certificate as JsonObject | undefined)?.['id'];
  const found = typeof id === 'string' ? gateway.store.get('certificates', id) : undefined;
  return { found, by: { field: 'name', value: name } };
}

/** Takes out what has outlived its time to live, so that its values are free again. */
export function purge(gateway: Gateway): void {
  const now = gateway.chance.now();
  for (const [id, end] of gateway.ends) {
    if (end > now) continue;
    gateway.ends.delete(id);
    for (const name of gateway.collections.keys()) gateway.store.remove(name, id);
  }
}

/** An entity unless its time to live has run out. */
export function alive(gateway: Gateway, entity: Stored | undefined): Stored | undefined {
  if (entity === undefined) return undefined;
  const end = gateway.ends.get(entity.id);
  return end !== undefined && end <= gateway.chance.now() ? undefined : entity;
}
