import { readFileSync } from 'node:fs';
import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';

/** How often the files are looked at, in milliseconds. */
const lookMs = 30_000;

/**
 * Says, once for each change, that a configuration file is not what the process runs by any more: it is read at the start
 * only, and a freeze that is only written down holds nothing back. Resolves when the signal is aborted.
 */
export async function watchConfigurations(
  files: readonly string[],
  world: { readonly log: Log; readonly clock: Pick<Clock, 'sleep'> },
  signal: AbortSignal,
): Promise<void> {
  const watched = files.map((file) => ({ file, runs: textOf(file), told: null as string | null }));
  while (!signal.aborted) {
    try {
      await world.clock.sleep(lookMs, signal);
    } catch (thrown) {
      if (signal.aborted) return;
      throw thrown;
    }
    for (const one of watched) {
      const text = textOf(one.file);
      // One that cannot be read just now may be about to be replaced.
      if (text === null || text === one.told) continue;
      one.told = text === one.runs ? null : text;
      if (one.told === null) continue;
      const unaffected = 'what runs: it goes by the file as it was at the start';
      const fields = { configuration: one.file, unaffected, waitingFor: 'a restart' };
      world.log.warn(fields, 'the configuration file has changed, and is not taken up');
    }
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
