import type { Json, JsonObject } from '../../model/json.ts';
import { answeredForm } from '../../schema/defaults.ts';
import type { Collection } from '../state/collections.ts';
import { recordSchemaOf } from '../state/entity-check.ts';
import type { Gateway } from '../state/gateway.ts';
import type { Stored } from '../state/store.ts';

const plugins = new WeakMap<Stored, JsonObject>();

/** A stored entity as it is answered: with the old names of a plugin's fields, a certificate's SNIs, the time to live. */
export function answered(gateway: Gateway, collection: Collection, entity: Stored): JsonObject {
  switch (collection.name) {
    case 'plugins':
      return answeredPlugin(gateway, collection, entity);
    case 'certificates':
      return { ...entity, snis: sniNames(gateway, entity.id) };
    case 'keyauth_credentials':
      return gateway.flavour === 'kong' ? { ...entity, ttl: secondsLeft(gateway, entity.id) } : entity;
    default:
      return entity;
  }
}

function answeredPlugin(gateway: Gateway, collection: Collection, entity: Stored): JsonObject {
  const known = plugins.get(entity);
  if (known !== undefined) return known;
  const schema = recordSchemaOf(gateway.schemas, collection.name, entity);
  const form = schema === undefined ? entity : answeredForm(schema, entity);
  plugins.set(entity, form);
  return form;
}

/** The names of a certificate's SNIs, sorted. */
export function sniNames(gateway: Gateway, certificateId: string): readonly Json[] {
  const names = gateway.store.childrenOf('snis', 'certificate', certificateId).map((sni) => sni['name'] ?? null);
  return names.sort((a, b) => (String(a) < String(b) ? -1 : 1));
}

function secondsLeft(gateway: Gateway, id: string): Json {
  const end = gateway.ends.get(id);
  return end === undefined ? null : Math.max(0, Math.ceil((end - gateway.chance.now()) / 1000));
}
