import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds, looking again every few milliseconds; throws, with what was waited for, after the limit. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  options: { readonly limitMs?: number; readonly shown?: () => unknown } = {},
): Promise<void> {
  const limitMs = options.limitMs ?? 60_000;
  const end = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > end) {
      const shown = options.shown === undefined ? '' : `; there is: ${JSON.stringify(options.shown(), null, 1)}`;
      throw new Error(`waited ${limitMs} ms for ${what}${shown}`);
    }
    await pause(15);
  }
}
