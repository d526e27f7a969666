import type { NodeStatus } from '../destination.ts';

/** A data plane as Konnect lists it. */
export interface DataPlane {
  readonly id: string;
  /** What it calls itself; its id where it does not. */
  readonly name: string;
  readonly hash: string | null;
  /** When Konnect heard from it last, in milliseconds since 1970; null where that is not told. */
  readonly heardAt: number | null;
}

/** Data planes say that they are there every half a minute; one that did not for so long is taken to be gone, in milliseconds. */
const silentAfterMs = 5 * 60_000;

/** The data planes of a control plane one by one, and since when each is as it is. */
export class DataPlanes {
  #shown: readonly NodeStatus[] = [];

  /** The nodes as they were listed last; the same list as long as nothing about them changes. */
  get shown(): readonly NodeStatus[] {
    return this.#shown;
  }

  /** Takes in a list, and the hash that each is to report. What is not told is known of none. `now` is since 1970. */
  note(listed: readonly DataPlane[], expected: string | null, now: number): void {
    const before = new Map(this.#shown.map((one) => [one.url, one]));
    const names = new Map<string, number>();
    for (const { name } of listed) names.set(name, (names.get(name) ?? 0) + 1);
    const found = listed
      .map((one): NodeStatus => {
        // Several may go by one name, such as those that come and go under a scheduler.
        const url = names.get(one.name) === 1 ? one.name : `${one.name} (${one.id})`;
        return kept(before.get(url), {
          url,
          ...stateOf(one, expected, now),
          hash: one.hash,
          since: now,
          nextTryAt: null,
        });
      })
      .sort((a, b) => (a.url < b.url ? -1 : 1));
    const isSame = found.length === this.#shown.length && found.every((one, at) => one === this.#shown[at]);
    if (!isSame) this.#shown = found;
  }
}

function kept(before: NodeStatus | undefined, now: NodeStatus): NodeStatus {
  if (before === undefined || before.state !== now.state) return now;
  return before.hash === now.hash && before.failure === now.failure ? before : { ...now, since: before.since };
}

function stateOf(
  { hash, heardAt }: DataPlane,
  expected: string | null,
  now: number,
): Pick<NodeStatus, 'state' | 'failure'> {
  if (heardAt !== null && now - heardAt > silentAfterMs) {
    return { state: 'silent', failure: `Konnect has not heard from it since ${new Date(heardAt).toISOString()}` };
  }
  if (hash === null || hash === '' || expected === null) return { state: 'unknown', failure: null };
  return { state: hash === expected ? 'current' : 'different', failure: null };
}
