import type { Destination } from '../destination.ts';
import { type DatabaseWorld, kongDatabase } from './database.ts';
import { kongDbless } from './dbless.ts';
import { identifyKong } from './identify.ts';

/** What one Kong is reached with, before it was asked whether it has a database. */
export interface KongWorld extends DatabaseWorld {
  readonly url: string;
  readonly configLimitBytes: number;
}

/**
 * One Kong behind `kong.url`: with a database or without, as the server says. What it is, is settled by the first
 * answer; a server that changes its mode later is met again by a restart of the lane's process.
 */
export function kong(world: KongWorld): Destination {
  const prefix = world.workspace === null ? '' : `/${encodeURIComponent(world.workspace)}`;
  let settled: Destination | null = null;
  const settle = async (signal: AbortSignal): Promise<Destination> => {
    if (settled !== null) return settled;
    const identity = await identifyKong(world, prefix, signal);
    settled = identity.mode === 'database' ? kongDatabase(world) : kongDbless(asSingleNode(world));
    return settled;
  };
  return {
    name: world.name,
    identify: async (signal) => (await settle(signal)).identify(signal),
    schemas: async (state, signal) => (await settle(signal)).schemas(state, signal),
    read: async (expected, signal) => (await settle(signal)).read(expected, signal),
    preflight: async (state, delivery, signal) => (await settle(signal)).preflight(state, delivery, signal),
    apply: async (state, delivery, signal, goOn) => (await settle(signal)).apply(state, delivery, signal, goOn),
    inPlace: (state, live, delivery) =>
      settled?.inPlace(state, live, delivery) ?? {
        confirmed: false,
        incomplete: false,
        detail: 'the destination was not asked yet',
        unread: [],
      },
    close: () => world.http.close(),
  };
}

function asSingleNode(world: KongWorld): Parameters<typeof kongDbless>[0] {
  const { name, url, http, clock, random, configLimitBytes, concurrency, bundled } = world;
  return {
    name,
    nodes: [{ url, http, clock, random, configLimitBytes }],
    quorum: 'all',
    concurrency,
    bundled,
    now: () => clock.now(),
  };
}
