import type { State } from '../../model/state.ts';

/** How many scopes are remembered: that of a revision, and that of the one before it. */
const scopes = 2;

/** What was read of a destination last in each scope of tags: a server's words may be about any of it. */
export class LatestReads {
  readonly #byScope = new Map<string, State>();

  /** A complete read of what carries these tags. */
  keep(tags: readonly string[], state: State): void {
    const scope = [...tags].sort().join();
    this.#byScope.delete(scope);
    this.#byScope.set(scope, state);
    for (const oldest of [...this.#byScope.keys()].slice(0, -scopes)) this.#byScope.delete(oldest);
  }

  /** All of it. */
  get states(): readonly State[] {
    return [...this.#byScope.values()];
  }
}
