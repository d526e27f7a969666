import type { NodeStatus } from '../destination.ts';
import { emptyHash } from './config-body.ts';
import type { NodeWorld } from './node.ts';
import type { NodeSeen } from './node-health.ts';

/** The states of the nodes of one destination, and since when each has been in its own. */
export class NodeStates {
  #shown: readonly NodeStatus[] = [];
  #lookedAt = 0;

  /** The nodes as they are now; `wanted` is the hash of what was delivered last. The same list where nothing changed. */
  look(nodes: readonly NodeWorld[], wanted: string | null, now: number): readonly NodeStatus[] {
    const before = new Map(this.#shown.map((one) => [one.url, one]));
    const found = nodes.map(({ url, health }) => this.#one(url, health.seen, wanted, before, now));
    const isSame = found.length === this.#shown.length && found.every((one, at) => one === this.#shown[at]);
    if (!isSame) this.#shown = found;
    this.#lookedAt = now;
    return this.#shown;
  }

  #one(
    url: string,
    seen: NodeSeen,
    wanted: string | null,
    all: ReadonlyMap<string, NodeStatus>,
    now: number,
  ): NodeStatus {
    const state = stateOf(seen, wanted);
    const before = all.get(url);
    const failure = (seen.failure ?? (state === 'refused' ? seen.refusal : null))?.message ?? null;
    // It may have changed while nobody looked, or be different because something else is wanted since.
    const changedAt = before === undefined || seen.changedAt > this.#lookedAt ? seen.changedAt : now;
    const since = before?.state === state ? before.since : changedAt;
    const one: NodeStatus = { url, state, hash: seen.hash, failure, since, nextTryAt: seen.nextTryAt };
    if (before === undefined || before.state !== state || before.hash !== one.hash) return one;
    return before.failure === failure && sameTime(before.nextTryAt, one.nextTryAt) ? before : one;
  }
}

function stateOf({ hash, failure, refusal }: NodeSeen, wanted: string | null): NodeStatus['state'] {
  if (failure !== null) return 'silent';
  if (hash === null) return 'unknown';
  if (hash === wanted) return 'current';
  if (refusal !== null) return 'refused';
  return hash === emptyHash ? 'empty' : 'different';
}

/** The time left is measured anew each time, by another clock. */
function sameTime(one: number | null, other: number | null): boolean {
  return one === other || (one !== null && other !== null && Math.abs(one - other) < 1_000);
}
