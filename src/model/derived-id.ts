import { createHash } from 'node:crypto';
import type { KindName } from './kind.ts';
import { kinds } from './kinds.ts';

/** The root namespace of Kong's own derived ids, which go-kong and the Kubernetes controller share (deck.md 1.5). */
const rootNamespace = 'fd02801f-0957-4a15-a55a-c8d9606f30b5';

const namespaces = new Map<KindName, Buffer>();

/**
 * The id of an entity that was given none: UUIDv5 of its identity in its kind's namespace (DESIGN.md 3a), with the
 * workspace before it where one is set and is not the default.
 */
export function derivedId(kind: KindName, identity: string, workspace: string | null): string {
  let namespace = namespaces.get(kind);
  if (namespace === undefined) {
    namespace = uuidBytes(uuidV5(uuidBytes(rootNamespace), kinds[kind].idNamespace));
    namespaces.set(kind, namespace);
  }
  return uuidV5(namespace, workspace === null || workspace === 'default' ? identity : `${workspace}/${identity}`);
}

/** Whether a text is a UUID in any letter case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text);
}

/** UUID version 5 (RFC 9562, 5.5) of a name. */
function uuidV5(namespace: Buffer, name: string): string {
  const bytes = createHash('sha1').update(namespace).update(name, 'utf8').digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}
