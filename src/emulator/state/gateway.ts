import type { Schemas } from '../../schema/schema.ts';
import { type Collection, collectionsOf } from './collections.ts';
import { type Store as EntityStore, Store } from './store.ts';

/** The sources of what is not in a request: time in milliseconds since 1970, and random bytes. */
export interface Chance {
  readonly now: () => number;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** The hash that a DB-less node reports before it was given anything, or when it was given nothing. */
export const emptyHash = '00000000000000000000000000000000';

/** One emulated gateway (or control plane): what it is, and what it holds. */
export interface Gateway {
  readonly flavour: 'kong' | 'dbless' | 'konnect';
  readonly version: string;
  readonly schemas: Schemas;
  readonly collections: ReadonlyMap<string, Collection>;
  readonly chance: Chance;
  readonly nodeId: string;
  store: EntityStore;
  /** `configuration_hash` of a DB-less node. */
  hash: string;
  /** Whether its database is there. */
  reachable: boolean;
  /** When entities with a time to live end, in milliseconds, by their id. */
  ends: Map<string, number>;
}

/** An empty gateway. */
export function newGateway(flavour: Gateway['flavour'], version: string, schemas: Schemas, chance: Chance): Gateway {
  const collections = collectionsOf(schemas, flavour === 'konnect' ? 'konnect' : 'admin');
  return {
    flavour,
    version,
    schemas,
    collections: new Map(collections.map((collection) => [collection.name, collection])),
    chance,
    nodeId: newId(chance),
    store: new Store(collections),
    hash: emptyHash,
    reachable: true,
    ends: new Map(),
  };
}

/** Empties a gateway. */
export function emptyGateway(gateway: Gateway): void {
  gateway.store = new Store([...gateway.collections.values()]);
  gateway.hash = emptyHash;
  gateway.ends = new Map();
}

/** A random id (UUID version 4). */
export function newId(chance: Chance): string {
  const bytes = Buffer.from(chance.randomBytes(16));
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A secret as Kong makes one where none is given: 32 letters and digits. */
export function newSecret(chance: Chance): string {
  let secret = '';
  for (const byte of chance.randomBytes(32)) secret += alphabet.charAt(byte % alphabet.length);
  return secret;
}
