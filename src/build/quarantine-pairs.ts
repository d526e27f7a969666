import { objectKey } from '../dialect/kubernetes/objects/kube-object.ts';
import { ObjectSource } from '../dialect/kubernetes/objects/object-source.ts';
import type { Entity } from '../model/entity.ts';
import { protectedBy } from './quarantine-protection.ts';

/** The Kubernetes object that an entity is made of; null where it is made of none. */
export function objectOf(entity: Entity | null): string | null {
  const source = entity?.source ?? null;
  return source instanceof ObjectSource ? objectKey(source.object) : null;
}

/** Whether a plugin does not say which one it is, so that its identity is none. */
export function isUnnamed({ kind, fields }: Entity): boolean {
  const { name } = fields;
  return kind === 'plugins' && (typeof name !== 'string' || name === '');
}

/**
 * What a plugin was before whose name is what is broken: of those that its parent has no more, the one of the same
 * object or at the same place, else the first.
 */
export function beforeRenaming(plugin: Entity, gone: readonly Entity[]): Entity | undefined {
  const scope = scopeOf(plugin);
  const candidates = gone.filter((old) => old.kind === 'plugins' && scopeOf(old) === scope);
  const object = objectOf(plugin);
  const place = placeOf(plugin);
  const same = (old: Entity) => (object === null ? placeOf(old) === place : objectOf(old) === object);
  return candidates.find(same) ?? candidates[0];
}

/**
 * The plugin of a KongPlugin that cannot be read any more, where a KongClusterPlugin of the same name has slipped into
 * its place.
 */
export function shadowed(plugin: Entity, gone: readonly Entity[]): Entity | undefined {
  const object = plugin.source instanceof ObjectSource ? plugin.source.object : null;
  if (plugin.kind !== 'plugins' || object?.kind !== 'KongClusterPlugin') return undefined;
  const scope = scopeOf(plugin);
  return gone.find((old) => {
    const { kind, source } = old;
    if (kind !== 'plugins' || !(source instanceof ObjectSource)) return false;
    const isOfName = source.object.kind === 'KongPlugin' && source.object.name === object.name;
    return isOfName && scopeOf(old) === scope;
  });
}

function scopeOf(plugin: Entity): string {
  return JSON.stringify(protectedBy(plugin).map(({ field, identity }) => [field, identity]));
}

function placeOf({ source }: Entity): string {
  const { file = '', pointer = '' } = source?.location ?? {};
  return `${file}\n${pointer ?? ''}`;
}
