import type { OpenWorld } from '../destination/open.ts';
import type { Clock } from '../platform/clock.ts';
import { systemClock } from '../platform/system-clock.ts';
import { createHttpClient } from '../platform/undici-client.ts';
import { loadSchemas } from '../schema/bundled.ts';

/** The real clock and real randomness. */
export const realTime: { readonly clock: Clock; readonly random: () => number } = {
  clock: systemClock,
  random: Math.random,
};

/** What real destinations are opened with. */
export async function openWorld(): Promise<OpenWorld> {
  const flavour = { version: 'any', router: 'traditional_compatible' } as const;
  const [oss, enterprise] = await Promise.all([
    loadSchemas({ ...flavour, edition: 'oss' }),
    loadSchemas({ ...flavour, edition: 'enterprise' }),
  ]);
  return { createHttpClient, ...realTime, bundled: { oss, enterprise } };
}
