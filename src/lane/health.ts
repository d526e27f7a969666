import type { Identified } from '../destination/destination.ts';
import type { Clock } from '../platform/clock.ts';

/** One question whose answer tells whether what was delivered works. */
export interface Probe {
  /** Without secrets: `https://shop.example.com/health`. */
  readonly name: string;
  /** How long it may take to become healthy, in milliseconds. */
  readonly withinMs: number;
  /** What is wrong, in a few words, or null. Never throws but when the signal is aborted. */
  readonly ask: (signal: AbortSignal) => Promise<string | null>;
}

/** How a destination's health is told after a delivery, and what follows. */
export interface Health {
  readonly probes: readonly Probe[];
  /** How long nodes that follow a database or Konnect may take to have what was written, in milliseconds. */
  readonly updateIntervalMs: number;
  readonly onUnhealthy: 'hold' | 'rollback';
  /** For how long the probes are asked on after a success, in milliseconds: others wait that long for it. Not at all where left out. */
  readonly watchMs?: number;
}

/** What the probes found: what is wrong (nothing where all is well), or that a newer revision came before they knew. */
export type HealthVerdict =
  | { readonly superseded: true }
  | { readonly superseded: false; readonly wrong: readonly string[] };

/** How often a probe that fails is asked again, in milliseconds. */
const againMs = 1_000;

/**
 * Asks the probes until each was answered rightly, or one ran out of time. Before the first the nodes get the time to
 * follow: until then they still do what they did before, and would seem to be healthy. A node without a database has
 * what it was given.
 */
export async function checkHealth(
  health: Health,
  world: { readonly clock: Clock; readonly mode: Identified['mode']; readonly superseded: () => boolean },
  signal: AbortSignal,
): Promise<HealthVerdict> {
  const { clock, mode, superseded } = world;
  const followed = clock.monotonic() + (mode === 'dbless' ? 0 : health.updateIntervalMs);
  for (let left = followed - clock.monotonic(); left > 0; left = followed - clock.monotonic()) {
    if (superseded()) return { superseded: true };
    await clock.sleep(Math.min(left, againMs), signal);
  }
  let open = health.probes;
  for (;;) {
    if (superseded()) return { superseded: true };
    const answers = await Promise.all(open.map(async (probe) => ({ probe, wrong: await probe.ask(signal) })));
    signal.throwIfAborted();
    const failing = answers.filter(({ wrong }) => wrong !== null);
    if (failing.length === 0) return { superseded: false, wrong: [] };
    const late = clock.monotonic() - followed;
    if (failing.some(({ probe }) => late >= probe.withinMs)) {
      return { superseded: false, wrong: failing.map(({ probe, wrong }) => `${probe.name} ${wrong}`) };
    }
    open = failing.map(({ probe }) => probe);
    if (superseded()) return { superseded: true };
    await clock.sleep(againMs, signal);
  }
}
