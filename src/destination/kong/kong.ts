import { Failure } from '../../platform/failure.ts';
import { shownUrl } from '../../platform/redact.ts';
import type { Destination, Identified } from '../destination.ts';
import { type DatabaseWorld, kongDatabase } from './database.ts';
import { kongDbless } from './dbless.ts';
import { listedFleet } from './fleet.ts';
import { shownNode } from './node.ts';
import { NodeHealth } from './node-health.ts';

/** What one Kong is reached with, before it was asked whether it has a database. */
export interface KongWorld extends DatabaseWorld {
  readonly url: string;
  readonly configLimitBytes: number;
}

/** How often it is seen whether the server has said by now what it is, in milliseconds. */
const askedAgainMs = 5_000;

/**
 * One Kong behind `kong.url`: with a database or without, as the server says. Asked anew by every `identify`, so that a
 * server that was given a database, or rid of it, is met as what it is.
 */
export function kong(world: KongWorld): Destination {
  let settled: { readonly mode: 'database' | 'dbless'; readonly destination: Destination } | null = null;
  const open = (mode: 'database' | 'dbless') => ({
    mode,
    destination: mode === 'database' ? kongDatabase(world) : kongDbless(asSingleNode(world)),
  });
  const identify = async (signal: AbortSignal): Promise<Identified> => {
    const asked = settled ?? open('database');
    const is = await asked.destination.identify(signal);
    const unfit = unfitFor(world, is);
    if (unfit !== null) throw unfit;
    if (is.mode === asked.mode) {
      settled = asked;
      return is;
    }
    // Both ask the same question, but each keeps what it learns.
    settled = open(is.mode === 'dbless' ? 'dbless' : 'database');
    return settled.destination.identify(signal);
  };
  const settle = async (signal: AbortSignal): Promise<Destination> => {
    if (settled === null) await identify(signal);
    return (settled ?? open('database')).destination;
  };
  return {
    name: world.name,
    identify,
    schemas: async (state, signal) => (await settle(signal)).schemas(state, signal),
    read: async (expected, signal) => (await settle(signal)).read(expected, signal),
    preflight: async (state, delivery, signal) => (await settle(signal)).preflight(state, delivery, signal),
    apply: async (state, delivery, signal, goOn) => (await settle(signal)).apply(state, delivery, signal, goOn),
    inPlace: (state, live, delivery) =>
      settled?.destination.inPlace(state, live, delivery) ?? {
        confirmed: false,
        incomplete: false,
        detail: 'the destination was not asked yet',
        unread: [],
      },
    watch: async (changed, signal) => {
      const { clock } = world;
      while (settled === null) {
        if (!(await slept(() => clock.sleep(askedAgainMs, signal)))) return;
      }
      await settled.destination.watch?.(changed, signal);
    },
    close: () => world.http.close(),
  };
}

/** Why what answers cannot be the destination that was configured, or null. Nothing of it is left out in silence. */
function unfitFor({ url, workspace, tags }: KongWorld, is: Identified): Failure | null {
  const failure = (code: string, message: string, hint: string) =>
    new Failure({
      class: 'rejected',
      code,
      message,
      hint,
      method: 'GET',
      url: shownUrl(url),
      status: null,
      retryAfterMs: null,
      body: null,
    });
  const shown = shownUrl(url);
  if (is.mode === 'dbless' && tags.length > 0) {
    return failure(
      'tags-without-database',
      `${shown} is a Kong without a database, which is always owned whole: \`tags\` cannot bound what is owned there`,
      'Take `tags` out of this destination, or point it at a Kong with a database.',
    );
  }
  if (workspace === null || (is.mode === 'database' && is.edition === 'enterprise')) return null;
  const what = is.mode === 'dbless' ? 'a Kong without a database' : 'an open-source Kong';
  return failure(
    'no-workspaces',
    `workspace "${workspace}" is configured, and ${shown} is ${what}, which has none`,
    'Take `workspace` out of this destination, or point it at a Kong Enterprise with a database.',
  );
}

/** Whether a sleep came to its end. */
async function slept(sleep: () => Promise<void>): Promise<boolean> {
  try {
    await sleep();
    return true;
  } catch {
    return false;
  }
}

function asSingleNode(world: KongWorld): Parameters<typeof kongDbless>[0] {
  const { name, url, http, pace, clock, random, configLimitBytes, concurrency, bundled, secrets } = world;
  return {
    name,
    fleet: listedFleet([
      { url: shownNode(url), http, pace, clock, random, configLimitBytes, health: new NodeHealth(clock, false) },
    ]),
    quorum: 'all',
    concurrency,
    bundled,
    clock,
    secrets,
  };
}
