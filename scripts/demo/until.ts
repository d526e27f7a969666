import { setTimeout as wait } from 'node:timers/promises';

/** A step of the demo did not have the expected outcome. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
}

/** Looks until something holds, ten times a second. Throws StepFailed, saying what was waited for, after the limit. */
export async function until(what: string, holds: () => boolean, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!holds()) {
    if (performance.now() > end) throw new StepFailed(`waited ${limitMs / 1000} s in vain for: ${what}`);
    await wait(100);
  }
}

/** Throws StepFailed unless something is so. */
export function expect(what: string, is: boolean): void {
  if (!is) throw new StepFailed(`not as expected: ${what}`);
}
