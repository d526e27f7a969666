import { assemble } from '../../model/assemble.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Entity } from '../../model/entity.ts';
import { kinds } from '../../model/kinds.ts';
import type { Live } from '../../model/live.ts';
import type { State } from '../../model/state.ts';
import type { PlannedDelivery, Write } from '../../plan/plan.ts';
import { asFailure } from '../../platform/failure.ts';
import type { Schemas } from '../../schema/schema.ts';
import type { Confirmation, Destination, Outcome } from '../destination.ts';
import { readKinds } from '../read-kinds.ts';
import { bounded, type RequestWorld, send } from '../requests.ts';
import { runWrites } from '../run-writes.ts';
import { sendWrite } from '../send-write.ts';
import { ServedSchemas } from '../served-schemas.ts';
import { objections, refusalDiagnostics } from '../server-answer.ts';
import { differenceWords, targetOf } from '../wording.ts';
import { identifyKong, type KongIdentity } from './identify.ts';

/** What a Kong with a database is reached with. */
export interface DatabaseWorld extends RequestWorld {
  readonly name: string;
  readonly workspace: string | null;
  /** Bounds what is read, changed and pruned; empty for the whole workspace. */
  readonly tags: readonly string[];
  readonly concurrency: number;
  readonly bundled: Schemas;
}

/** A Kong with a database, through its Admin API. */
export function kongDatabase(world: DatabaseWorld): Destination {
  const prefix = world.workspace === null ? '' : `/${encodeURIComponent(world.workspace)}`;
  let identity: KongIdentity | null = null;
  let schemas: ServedSchemas | null = null;

  const identify = async (signal: AbortSignal): Promise<KongIdentity> => {
    const found = await identifyKong(world, prefix, signal);
    if (identity === null || identity.description !== found.description) {
      schemas = new ServedSchemas({ ...world, prefix, servesEntities: true }, found);
    }
    identity = found;
    return found;
  };

  return {
    name: world.name,
    identify,
    schemas: async (state, signal) => {
      if (schemas === null) await identify(signal);
      return schemas === null ? world.bundled : schemas.for(state, signal);
    },
    read: async (_, signal) => {
      const { edition } = identity ?? (await identify(signal));
      const read = await readKinds(
        {
          ...world,
          prefix,
          paths: (kind) => kind.admin,
          skip: (kind) => skipped(kind.name, edition, world.tags),
        },
        signal,
      );
      const state = assemble(read.raw, { workspace: world.workspace, selectTags: [] });
      return { state, notManaged: read.notManaged, nodes: [], readAt: world.clock.now() };
    },
    preflight: (state, delivery, signal) => preflight(world, prefix, state, delivery, signal),
    apply: async (state, delivery, signal, goOn): Promise<Outcome> => {
      const run = await runWrites(
        delivery,
        {
          concurrency: world.concurrency,
          goOn,
          sendWrite: (write, abort) => sendWrite({ ...world, prefix }, kinds[write.kind].admin, write, abort),
        },
        signal,
      );
      return {
        changes: run.changes,
        failure: run.failure,
        diagnostics: rejections(world.name, state, delivery, run.changes),
        writes: run.sent,
      };
    },
    inPlace: (_state: State, live: Live, delivery: PlannedDelivery): Confirmation => emptyPlan(live, delivery),
    close: () => world.http.close(),
  };
}

/** Confirmed when nothing is left to change in what was read. */
export function emptyPlan(live: Live, delivery: PlannedDelivery): Confirmation {
  const left = delivery.plan.changes.length;
  return {
    confirmed: left === 0,
    incomplete: false,
    detail: left === 0 ? `${countLive(live)} entities read back and equal` : differenceWords(delivery.plan),
    unread: delivery.unread,
  };
}

function countLive(live: Live): number {
  let count = 0;
  for (const list of live.state.entities.values()) count += list.length;
  return count;
}

/** Every refused change as diagnostics, with its places in the files. */
export function rejections(
  destination: string,
  state: State,
  delivery: PlannedDelivery,
  outcomes: Outcome['changes'],
): readonly Diagnostic[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.result !== 'rejected') return [];
    const change = delivery.plan.changes[outcome.change];
    const entity = change === undefined ? undefined : targetOf(state, change);
    return entity === undefined ? [] : refusalDiagnostics(destination, entity, objections(outcome.failure));
  });
}

/** Kinds that are not asked for, and why. */
function skipped(kind: keyof typeof kinds, edition: 'oss' | 'enterprise', tags: readonly string[]): string | null {
  if (kinds[kind].edition === 'enterprise' && edition === 'oss') return 'an open-source Kong has no such kind';
  if (kind === 'rbac_roles' || kind === 'rbac_role_endpoints' || kind === 'licenses') {
    return 'roles and licenses are left to the administrators of the gateway';
  }
  if (tags.length > 0 && !kinds[kind].tags && kinds[kind].parent === null)
    return 'it carries no tags, which bound what is owned';
  return null;
}

/**
 * Has each created or updated entity checked by `/schemas/*\/validate`, which changes nothing (and checks neither
 * uniqueness nor references: our own rules do). A Kong that has no such endpoint for a kind checks at the write.
 */
async function preflight(
  world: DatabaseWorld,
  prefix: string,
  state: State,
  delivery: PlannedDelivery,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const checked = delivery.writes.filter((write) => write.body !== null && write.kind !== 'consumer_group_consumers');
  const found = await bounded(
    world.concurrency,
    checked.map((write) => async () => {
      const change = delivery.plan.changes[write.change];
      const entity = change === undefined ? undefined : targetOf(state, change);
      return entity === undefined ? [] : await objectionsTo(world, prefix, write, entity, signal);
    }),
  );
  return found.flat();
}

async function objectionsTo(
  world: DatabaseWorld,
  prefix: string,
  write: Write,
  entity: Entity,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const path = `${prefix}/schemas/${write.kind}/validate`;
  try {
    // Validating changes nothing, so that an answer that was lost may be asked for again.
    await send(world, { method: 'POST', path, json: write.body, accept: [404, 405] }, signal);
    return [];
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure === undefined || failure.facts.status !== 400) throw thrown;
    return refusalDiagnostics(world.name, entity, objections(failure.facts));
  }
}
