import type { Behaviour } from '../../src/emulator/http/behaviour.ts';
import type { Bench } from './bench.ts';

/** Makes every server of a bench behave so. */
export function behave(bench: Bench, behaviour: { readonly [K in keyof Behaviour]?: Behaviour[K] | null }): void {
  for (const emulator of bench.emulators) emulator.behaviour(behaviour);
}

/** The limits of a test that waits for a real time limit. */
export function impatient(bench: Bench, timeoutMs = 250): { settings: { limits: Bench['settings']['limits'] } } {
  return { settings: { limits: { ...bench.settings.limits, timeoutMs } } };
}

/** Waits until a server has seen a request, one that was already there counts too. */
export async function seen(bench: Bench, methods: readonly string[]): Promise<void> {
  const has = () => bench.emulators.some((emulator) => emulator.log().some(({ method }) => methods.includes(method)));
  while (!has()) await new Promise((resolve) => setImmediate(resolve));
}
