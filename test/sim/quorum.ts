import type { kongDbless } from '../../src/destination/kong/dbless.ts';
import { listedFleet } from '../../src/destination/kong/fleet.ts';
import { NodeHealth } from '../../src/destination/kong/node-health.ts';
import { Pace } from '../../src/destination/pace.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { type Bench, bundledSchemas } from '../contract/bench.ts';
import { deliver } from '../contract/deliver.ts';
import { Seeded } from './choices.ts';

const never = new AbortController().signal;

/** What may be with a node during one pass. */
const conditions = ['well', 'dead', 'refuses', 'fails', 'restarted'] as const;

/**
 * Several nodes without a database, some of which are dead, refuse, fail or were restarted, and one revision after the
 * other for them. Gives what must never be: a revision that counts as in place on fewer nodes than the quorum, one that
 * does not though they have it, and a node that is well and does not have it.
 */
export async function runQuorum(
  seed: number,
  bench: Bench,
  make: typeof kongDbless,
  Health: typeof NodeHealth = NodeHealth,
): Promise<readonly string[]> {
  const choices = new Seeded(seed);
  await bench.reset();
  const { emulators } = bench;
  const quorum = choices.pick([1, 1, 1, 1]) + 1;
  const destination = make({
    name: bench.name,
    quorum: quorum === emulators.length ? 'all' : quorum,
    concurrency: 8,
    bundled: await bundledSchemas(),
    clock: bench.clock,
    secrets: [],
    fleet: listedFleet(
      bench.urls.map((url) => ({
        url,
        clock: bench.clock,
        random: () => 0.5,
        pace: new Pace(),
        configLimitBytes: 10 << 20,
        health: new Health(bench.clock, true),
        http: createHttpClient({
          baseUrl: url,
          headers: {},
          timeoutMs: 20_000,
          bodyLimitBytes: 1 << 20,
          connections: 4,
          tls: { ca: null, cert: null, key: null, serverName: null },
          proxy: null,
        }),
      })),
    ),
  });
  const found: string[] = [];
  let version = 1;
  try {
    for (let step = 1; step <= 8; step += 1) {
      const now = emulators.map(() => conditions[step === 8 ? 0 : choices.pick([4, 2, 1, 1, 1])] ?? 'well');
      for (const [at, emulator] of emulators.entries()) {
        const condition = now[at];
        const status = condition === 'refuses' ? 400 : 503;
        const path = { methods: ['POST'], path: '/config' };
        emulator.behaviour({
          refuse: condition === 'dead',
          fail: condition === 'refuses' || condition === 'fails' ? { ...path, status } : null,
        });
        if (condition === 'restarted') emulator.restart(false);
      }
      // Nodes that rested are asked again.
      await bench.clock.sleep(60_000, never);
      // The same revision again is a look for drift.
      if (choices.pick([1, 1]) === 0) version = step;
      const host = `v${version}.test`;
      const files = { 'kong.json': { _format_version: '3.0', services: [{ name: 'a', host }] } };
      const { end } = await deliver(bench, files, { destination });
      const has = emulators.map((emulator) => {
        return JSON.stringify(emulator.request('GET', '/services/a').body).includes(`"${host}"`);
      });
      const answering = has.filter((one, at) => one && now[at] !== 'dead').length;
      const where = `step ${step} (${now.join()}; quorum ${quorum}): ${end}`;
      if (end === 'applied' && answering < quorum) found.push(`${where}, and ${answering} nodes have it`);
      if (end !== 'applied' && answering >= quorum) found.push(`${where}, though ${answering} nodes have it`);
      const left = now.filter((one, at) => (one === 'well' || one === 'restarted') && has[at] !== true).length;
      if (left > 0) found.push(`${where}, and ${left} nodes that are well do not have it`);
    }
  } finally {
    await destination.close();
  }
  return found;
}
