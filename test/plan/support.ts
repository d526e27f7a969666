import { assemble, type RawEntity, type RawReference, type RawTarget } from '../../src/model/assemble.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { foreignKey } from '../../src/model/kinds.ts';
import type { Live } from '../../src/model/live.ts';
import { fileLocation } from '../../src/model/location.ts';
import { digestOf, type State } from '../../src/model/state.ts';
import { plan } from '../../src/plan/make-plan.ts';
import type { PlannedDelivery } from '../../src/plan/plan.ts';
import type { PlanInput } from '../../src/plan/plan-input.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

/** The schemas of an open-source Kong 3.9, which come with Konverge. */
export const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });

/** A made-up UUID. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}

/** What a raw entity may have besides its fields. `to` holds its foreign keys; `env` pointers of values kept from view. */
export interface Extra {
  readonly id?: string;
  readonly to?: { readonly [field: string]: RawTarget | RawEntity | readonly RawEntity[] };
  readonly env?: readonly string[];
  readonly made?: JsonObject;
}

/** An entity as a dialect or a server would give it. */
export function raw(kind: KindName, fields: JsonObject, extra: Extra = {}): RawEntity {
  const references = Object.entries(extra.to ?? {}).flatMap(([field, to]): readonly RawReference[] => {
    const list = foreignKey(kind, field)?.list === true;
    return [to]
      .flat()
      .map((one, at) => ({ field, index: list ? at : null, to: 'kind' in one ? { entity: one } : one }));
  });
  return {
    kind,
    id: extra.id ?? null,
    fields,
    references,
    made: extra.made ?? {},
    fromEnvironment: new Map((extra.env ?? []).map((pointer) => [pointer, 'DECK_X'])),
    source: { location: { ...fileLocation('gateway.yaml'), line: 3 }, at: () => fileLocation('gateway.yaml') },
  };
}

/** The state that raw entities make up. */
export function stateFrom(entities: readonly RawEntity[], selectTags: readonly string[] = []): State {
  return assemble(entities, { workspace: null, selectTags });
}

/** A complete read that found a state. */
export function liveOf(state: State, notManaged: ReadonlyMap<KindName, string> = new Map()): Live {
  return { state, notManaged, nodes: [], readAt: 0 };
}

/** A plan from one state to another, with nothing in its way unless said so. */
export function planFrom(
  live: State | Live,
  target: State,
  options: Partial<Omit<PlanInput, 'live' | 'state'>> = {},
): PlannedDelivery {
  return plan({
    destination: 'prod',
    mode: 'database',
    revision: null,
    state: target,
    digest: digestOf(target),
    live: 'state' in live ? live : liveOf(live),
    schemas,
    policy: { prune: true, adopt: true, maxDelete: { share: 1, atLeast: 0 } },
    exclude: { kinds: [], tags: [], prune: false },
    declaredEarlier: null,
    ...options,
  });
}

/** The changes of a plan in words: `update services shop`. */
export function changesOf({ plan: { changes } }: PlannedDelivery): readonly string[] {
  return changes.map(({ action, kind, name }) => `${action} ${kind} ${name}`);
}

/** Why a plan cannot bring all that is declared: rule, place and message of each finding. */
export function refusalsOf({ refused = [] }: PlannedDelivery): readonly string[] {
  return refused.map(({ rule, message, locations: [place] }) => `${rule} ${place?.file}:${place?.line} ${message}`);
}

/** The writes of a plan in words: `update services shop`, `delete …`; what they wait for in brackets. */
export function writesIn(delivery: PlannedDelivery): readonly string[] {
  return delivery.writes.map(({ change, action, kind, after }) => {
    const waits = after.length === 0 ? '' : ` [${after.join(' ')}]`;
    return `${action} ${kind} ${delivery.plan.changes[change]?.name ?? '?'}${waits}`;
  });
}

/** The fields that the only change of a plan lists, as `path: from → to`. */
export function fieldsOf(delivery: PlannedDelivery): readonly string[] {
  const word = (value: Json | undefined) => (value === undefined ? '' : JSON.stringify(value));
  return delivery.plan.changes.flatMap(({ fields }) =>
    fields.map(({ path, from, to }) => `${path}: ${word(from)} → ${word(to)}`),
  );
}
