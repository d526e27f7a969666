import { assemble } from '../../model/assemble.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Entity } from '../../model/entity.ts';
import { kinds } from '../../model/kinds.ts';
import type { State } from '../../model/state.ts';
import type { Change, PlannedDelivery, Write } from '../../plan/plan.ts';
import { asFailure, Failure } from '../../platform/failure.ts';
import type { Destination, Outcome } from '../destination.ts';
import { LatestReads } from '../reading/latest-reads.ts';
import { namedOutside, type OwnedWorld, takeOvers } from '../reading/outside.ts';
import { readKinds } from '../reading/read-kinds.ts';
import { type Bundled, ServedSchemas } from '../reading/served-schemas.ts';
import { bounded, type RequestWorld, send } from '../requests.ts';
import { confirmedWhenEmpty } from '../wording.ts';
import { objections } from '../writing/objections.ts';
import {
  explainedFailure,
  failureAbout,
  type Refuser,
  refusalDiagnostics,
  rejections,
  targetOf,
} from '../writing/refusals.ts';
import { runWrites } from '../writing/run-writes.ts';
import { sendWrite } from '../writing/send-write.ts';
import { identifyKong, type KongIdentity, sameIdentity } from './identify.ts';

/** What a Kong with a database is reached with. */
export interface DatabaseWorld extends RequestWorld {
  readonly name: string;
  readonly workspace: string | null;
  /** Bounds what is read, changed and pruned; empty for the whole workspace. */
  readonly tags: readonly string[];
  readonly concurrency: number;
  readonly bundled: Bundled;
  /** What the server is reached with and nobody may see. */
  readonly secrets: readonly string[];
}

/** A Kong with a database, through its Admin API. */
export function kongDatabase(world: DatabaseWorld): Destination {
  const prefix = world.workspace === null ? '' : `/${encodeURIComponent(world.workspace)}`;
  let known: { readonly is: KongIdentity; readonly schemas: ServedSchemas } | null = null;

  const ask = async (signal: AbortSignal) => {
    const is = await identifyKong(world, prefix, signal);
    if (known === null || !sameIdentity(known.is, is)) {
      known = {
        is,
        schemas: new ServedSchemas({ ...world, prefix, servesEntities: true, bundled: world.bundled[is.edition] }, is),
      };
    }
    return known;
  };
  const settled = async (signal: AbortSignal) => known ?? (await ask(signal));
  const owned = (state: State): OwnedWorld => ({
    ...world,
    prefix,
    paths: (kind) => kind.admin,
    tags: state.selectTags.length > 0 ? state.selectTags : world.tags,
  });
  const live = new LatestReads();
  const refuser = (): Refuser => ({
    name: world.name,
    connection: world.secrets,
    schemas: known?.schemas.current ?? world.bundled.enterprise,
    live: live.states,
  });

  return {
    name: world.name,
    identify: async (signal) => (await ask(signal)).is,
    schemas: async (state, signal) => (await settled(signal)).schemas.for(state, signal),
    read: async (expected, signal) => {
      const { is, schemas } = await settled(signal);
      const { edition } = is;
      const scope = owned(expected);
      const read = await readKinds(
        { ...world, ...scope, skip: (kind) => skipped(kind.name, edition, scope.tags) },
        signal,
      );
      const outside = scope.tags.length === 0 ? [] : await namedOutside(scope, expected, signal);
      const state = assemble([...read.raw, ...outside], { workspace: world.workspace, selectTags: [] });
      await schemas.for(state, signal);
      live.keep(scope.tags, state);
      return { state, notManaged: read.notManaged, unlisted: read.unlisted, nodes: [], readAt: world.clock.now() };
    },
    preflight: async (state, delivery, signal) => [
      ...(await takeOvers(owned(state), state, delivery, signal)),
      ...(await validated({ ...world, prefix, refuser: refuser() }, state, delivery, signal)),
    ],
    apply: async (state, delivery, signal, goOn): Promise<Outcome> => {
      const run = await runWrites(
        delivery,
        {
          concurrency: world.concurrency,
          goOn,
          sendWrite: (write, abort) =>
            sendWrite({ ...world, prefix, keepsHashes: 'by-patch' }, kinds[write.kind].admin, write, abort),
        },
        signal,
      );
      return {
        changes: run.changes,
        failure: explainedFailure(refuser(), state, delivery, run),
        diagnostics: rejections(refuser(), state, delivery, run.changes),
        writes: run.sent,
      };
    },
    inPlace: (_, live, delivery) => confirmedWhenEmpty(live, delivery),
    close: () => world.http.close(),
  };
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

interface ValidateWorld extends DatabaseWorld {
  readonly prefix: string;
  readonly refuser: Refuser;
}

/**
 * Has each created or updated entity checked by `/schemas/*\/validate`, which changes nothing (and checks neither
 * uniqueness nor references: our own rules do). Findings come in the order of the plan. What a Kong has no such
 * endpoint for, or does not let this user have checked, is checked at the write.
 */
async function validated(
  world: ValidateWorld,
  state: State,
  delivery: PlannedDelivery,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  // An entity that is written twice (out of the way, then in place) is checked as it is to be in the end.
  const own = delivery.writes.filter(({ change, kind }) => delivery.plan.changes[change]?.kind === kind);
  const last = new Map(own.map((write) => [write.change, write]));
  const checked = [...last.values()].filter(
    (write) => write.body !== null && kinds[write.kind].admin.verb !== 'membership',
  );
  const found = await bounded(
    world.concurrency,
    checked.map((write) => async () => {
      const change = delivery.plan.changes[write.change];
      const entity = change === undefined ? undefined : targetOf(state, change);
      if (change === undefined || entity === undefined) return [];
      return await objectionsTo(world, state, { write, entity, change }, signal);
    }),
  );
  return found.flat();
}

async function objectionsTo(
  world: ValidateWorld,
  state: State,
  { write, entity, change }: { readonly write: Write; readonly entity: Entity; readonly change: Change },
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  const path = `${world.prefix}/schemas/${write.kind}/validate`;
  // A certificate's SNIs stand beside its schema: they go with the write (kong.md "PUT without snis"), not with the check.
  const { snis: _, ...certificate } = write.body ?? {};
  const json = write.kind === 'certificates' ? certificate : write.body;
  try {
    // Validating changes nothing, so that it may be asked for again.
    await send(world, { method: 'POST', path, json, accept: [403, 404, 405] }, signal, true);
    return [];
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure === undefined) throw thrown;
    if (failure.facts.status !== 400) {
      throw new Failure(failureAbout(world.refuser, state, { change, entity, failure: failure.facts }));
    }
    return refusalDiagnostics(world.refuser, state, entity, objections(failure.facts));
  }
}
