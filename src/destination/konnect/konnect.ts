import { assemble, type RawEntity } from '../../model/assemble.ts';
import { isJsonArray } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { kinds } from '../../model/kinds.ts';
import type { Rollout } from '../../model/live.ts';
import type { State } from '../../model/state.ts';
import { Failure } from '../../platform/failure.ts';
import type { Schemas } from '../../schema/schema.ts';
import type { Destination, Identified } from '../destination.ts';
import { LatestReads } from '../reading/latest-reads.ts';
import { namedOutside, type OwnedWorld, takeOvers } from '../reading/outside.ts';
import { readKinds } from '../reading/read-kinds.ts';
import { ServedSchemas } from '../reading/served-schemas.ts';
import type { RequestWorld } from '../requests.ts';
import { confirmedWhenEmpty } from '../wording.ts';
import { explainedFailure, rejections } from '../writing/refusals.ts';
import { runWrites } from '../writing/run-writes.ts';
import { sendWrite } from '../writing/send-write.ts';
import { addedPlugins } from './added-plugins.ts';
import { type ControlPlane, findControlPlane } from './control-plane.ts';
import { DataPlanes } from './data-planes.ts';
import { readRollout, rolloutWords } from './rollout.ts';

/** What a Konnect control plane is reached with. */
export interface KonnectWorld extends RequestWorld {
  readonly name: string;
  /** Name or id. */
  readonly controlPlane: string;
  readonly tags: readonly string[];
  readonly concurrency: number;
  /** What Konnect is taken to know: Enterprise, of the newest version. */
  readonly bundled: Schemas;
  /** What Konnect is reached with and nobody may see. */
  readonly secrets: readonly string[];
}

/** How often data planes that are behind are asked for, in milliseconds. */
const askedAgainMs = 15_000;

/** One Konnect control plane, through its core entities. */
export function konnect(world: KonnectWorld): Destination {
  let found: { readonly plane: ControlPlane; readonly is: Identified; readonly schemas: ServedSchemas } | null = null;
  let seen: Rollout | null = null;
  const planes = new DataPlanes();
  const live = new LatestReads();
  const settle = async (signal: AbortSignal) => {
    const plane = await findControlPlane(world, world.controlPlane, signal);
    if (found === null || found.plane.id !== plane.id) {
      const is: Identified = {
        description: `Konnect, control plane ${plane.name}`,
        version: world.bundled.version,
        edition: 'enterprise',
        router: 'traditional_compatible',
        mode: 'konnect',
      };
      const schemas = new ServedSchemas(
        { ...world, prefix: prefixOf(plane), servesEntities: false },
        { ...is, pluginNames: world.bundled.pluginNames },
      );
      found = { plane, is, schemas };
    }
    return found;
  };
  const known = async (signal: AbortSignal) => found ?? (await settle(signal));

  const owned = (plane: ControlPlane, state: State): OwnedWorld => ({
    ...world,
    prefix: prefixOf(plane),
    paths: (kind) => kind.konnect,
    tags: state.selectTags.length > 0 ? state.selectTags : world.tags,
  });

  return {
    name: world.name,
    identify: async (signal) => (await settle(signal)).is,
    schemas: async (state, signal) => (await known(signal)).schemas.for(state, signal),
    read: async (expected, signal) => {
      const { plane, schemas } = await known(signal);
      const scope = owned(plane, expected);
      const skip = (kind: Kind) =>
        scope.tags.length > 0 && !kind.tags && kind.parent === null
          ? 'it carries no tags, which bound what is owned'
          : null;
      const [read, rollout] = await Promise.all([
        readKinds({ ...world, ...scope, skip }, signal),
        readRollout(world, planes, plane, signal),
      ]);
      seen = rollout;
      const outside = scope.tags.length === 0 ? [] : await namedOutside(scope, expected, signal);
      const state = assemble([...read.raw.filter(ours), ...outside], { workspace: null, selectTags: [] });
      await schemas.for(state, signal);
      live.keep(scope.tags, state);
      return {
        state,
        notManaged: read.notManaged,
        unlisted: read.unlisted,
        nodes: [],
        rollout,
        readAt: world.clock.now(),
      };
    },
    // Konnect checks when it is written to; there is no call that checks and changes nothing for every kind.
    preflight: async (state, delivery, signal) =>
      takeOvers(owned((await known(signal)).plane, state), state, delivery, signal),
    apply: async (state, delivery, signal, goOn) => {
      const { plane, schemas } = await known(signal);
      const prefix = prefixOf(plane);
      const run = await runWrites(
        delivery,
        {
          concurrency: world.concurrency,
          goOn,
          sendWrite: (write, abort) => {
            const paths = kinds[write.kind].konnect;
            if (paths === null) throw notThere(write.kind);
            return sendWrite({ ...world, prefix, keepsHashes: 'by-query' }, paths, write, abort);
          },
        },
        signal,
      );
      const refuser = { name: world.name, connection: world.secrets, schemas: schemas.current, live: live.states };
      return {
        changes: run.changes,
        failure: explainedFailure(refuser, state, delivery, run),
        diagnostics: rejections(refuser, state, delivery, run.changes),
        writes: run.sent,
      };
    },
    inPlace: (_, live, delivery) => {
      const confirmation = confirmedWhenEmpty(live, delivery);
      if (!confirmation.confirmed) return confirmation;
      return { ...confirmation, detail: `${rolloutWords(live.rollout ?? null)}${confirmation.detail}` };
    },
    watch: async (changed, signal) => {
      while (!signal.aborted) {
        try {
          await world.clock.sleep(askedAgainMs, signal);
          const before = seen;
          // Once all nodes run it there is nothing to wait for: the next look for drift tells of others.
          if (found === null || before === null || before.running === before.nodes) continue;
          const now = await readRollout(world, planes, found.plane, signal);
          if (now !== null && now.running !== before.running) changed();
        } catch {
          // Aborted, which the loop sees; or a fault that the lane meets as well, and tells.
        }
      }
    },
    nodes: () => planes.shown,
    addedPlugins: async (signal) => addedPlugins(world, prefixOf((await known(signal)).plane), signal),
    close: () => world.http.close(),
  };
}

function prefixOf(plane: ControlPlane): string {
  return `/v2/control-planes/${encodeURIComponent(plane.id)}/core-entities`;
}

/** Konnect makes some entities itself and marks them; they are nobody else's (deck.md 3.1). */
function ours(entity: RawEntity): boolean {
  const tags = entity.fields['tags'];
  return !isJsonArray(tags) || !tags.some((tag) => typeof tag === 'string' && tag.startsWith('konnect-managed'));
}

function notThere(kind: string): Failure {
  return new Failure({
    class: 'rejected',
    code: 'not-on-konnect',
    message: `Konnect has no ${kind}`,
    hint: 'Leave the kind out of this destination with `exclude.kinds`.',
    method: null,
    url: null,
    status: null,
    retryAfterMs: null,
    body: null,
  });
}
