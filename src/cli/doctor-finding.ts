import { asFailure } from '../platform/failure.ts';
import { failureText } from './failure-text.ts';
import type { Io } from './io.ts';

/** One thing that was tried. */
export interface Finding {
  readonly what: string;
  readonly well: boolean;
  readonly said: string;
  readonly hint: string;
}

/** Tries one thing; what it gives is what is said of it. */
export async function tried(what: string, io: Io, run: () => Promise<string>): Promise<Finding> {
  try {
    return { what, well: true, said: await run(), hint: '' };
  } catch (thrown) {
    io.signal.throwIfAborted();
    const failure = asFailure(thrown);
    if (failure !== undefined) {
      return { what, well: false, said: failureText(failure.facts), hint: failure.facts.hint };
    }
    if (thrown instanceof Error) return { what, well: false, said: thrown.message, hint: '' };
    throw thrown;
  }
}

/** A section of the configuration, or what is wrong with it. */
export async function configured<T>(section: () => T): Promise<T | Error> {
  try {
    return section();
  } catch (thrown) {
    if (thrown instanceof Error) return thrown;
    throw thrown;
  }
}
