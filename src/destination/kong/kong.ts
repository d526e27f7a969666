import type { Destination, Identified } from '../destination.ts';
import { type DatabaseWorld, kongDatabase } from './database.ts';
import { kongDbless } from './dbless.ts';
import { listedFleet } from './fleet.ts';
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
    fleet: listedFleet([{ url, http, pace, clock, random, configLimitBytes, health: new NodeHealth(clock, false) }]),
    quorum: 'all',
    concurrency,
    bundled,
    clock,
    secrets,
  };
}
