import { type Entity, type Reference, referenceOf } from '../model/entity.ts';
import { isJsonArray, type Json, type JsonObject } from '../model/json.ts';
import type { KindName } from '../model/kind.ts';
import { observingPlugins } from '../model/observing-plugins.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';

const guards: ReadonlySet<KindName> = new Set(['plugins', 'filter_chains']);

/** Whatever is not named here (a plugin of one's own too) may protect. */
const harmlessPlugins: ReadonlySet<Json> = new Set(observingPlugins);

/** Whether entities of the kind may keep requests from being let through. */
export function isGuard(kind: KindName): boolean {
  return guards.has(kind);
}

/** Whether an entity may keep requests from being let through. */
export function mayProtect({ kind, fields }: Entity): boolean {
  return guards.has(kind) && !(kind === 'plugins' && harmlessPlugins.has(fields['name'] ?? null));
}

/** What a guard that is in force does, and for what, by the ids that the destination knows. */
export interface Guard {
  /** Two of one name do the same, as far as can be told. */
  readonly name: string;
  readonly route: string | null;
  readonly service: string | null;
  /** Whom alone it is for: a consumer, or a group. */
  readonly consumer: string | null;
  /** Null where it is for all. */
  readonly protocols: ReadonlySet<Json> | null;
}

/** Where a route is, as guards see it. */
export interface Place {
  readonly route: string;
  readonly service: string | null;
  readonly protocols: readonly Json[];
}

/** What an operation finds in force, and leaves in force; null where that protects nothing. */
export function guardsOf(
  { live, target, normalLive, normalTarget }: Operation,
  matching: Matching,
): { readonly before: Guard | null; readonly after: Guard | null } {
  return {
    before: live === null ? null : guardIn(live, normalLive, ({ id }) => id),
    after: target === null ? null : guardIn(target, normalTarget, matching.idOfReference),
  };
}

function guardIn(
  entity: Entity,
  normal: JsonObject | null,
  idOf: (reference: Reference) => string | null,
): Guard | null {
  if (!mayProtect(entity) || !isEnabled(normal)) return null;
  const id = (field: string) => {
    const reference = referenceOf(entity, field);
    return reference === undefined ? null : (idOf(reference) ?? reference.identity);
  };
  const protocols = normal?.['protocols'];
  return {
    name: `${entity.kind} ${entity.kind === 'plugins' ? String(entity.fields['name']) : ''}`,
    route: id('route'),
    service: id('service'),
    consumer: id('consumer') ?? id('consumer_group'),
    protocols: isJsonArray(protocols) ? new Set(protocols) : null,
  };
}

/** Whether an entity is in force: nothing says that it is not. */
export function isEnabled(fields: JsonObject | null): boolean {
  return fields?.['enabled'] !== false;
}

/** The protocols of a route that a guard protects there. */
export function covered(guard: Guard | null, place: Place | null): readonly Json[] {
  if (guard === null || place === null) return [];
  if (guard.route !== null && guard.route !== place.route) return [];
  if (guard.service !== null && guard.service !== place.service) return [];
  return place.protocols.filter((protocol) => guard.protocols?.has(protocol) !== false);
}

/** Whether a guard does the same as another one for some protocols of a route in a place. */
export function coversAll(guard: Guard | null, as: Guard | null, place: Place | null, asked: readonly Json[]): boolean {
  if (asked.length === 0) return true;
  if (guard === null || guard.name !== as?.name || guard.consumer !== as.consumer) return false;
  const there = covered(guard, place);
  return asked.every((protocol) => there.includes(protocol));
}

/** Whether a guard is for consumers alone, whatever they ask for: no route is more open without it. */
export function isForConsumersAlone({ consumer, route, service }: Guard): boolean {
  return consumer !== null && route === null && service === null;
}
