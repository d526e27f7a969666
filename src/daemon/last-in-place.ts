/** What an entry of a history tells of a delivery. */
interface Told {
  readonly event: string;
  readonly revision: string | null;
  readonly plan: object | null;
}

/** What is known of a destination from an earlier process, where it kept that. */
export interface LastInPlace {
  /** The revision that was confirmed in place last, as it was written. */
  readonly whole: string | null;
  /** One that was delivered since, in part or without what was in quarantine. */
  readonly attempted: string | null;
}

/** Nothing is known. */
export const nothingKnown: LastInPlace = { whole: null, attempted: null };

/** What the entries of a destination say was in place last; they are given oldest first, and any may be missing. */
export function lastInPlace(entries: readonly Told[]): LastInPlace {
  const takenBack = new Set<string>();
  let attempted: string | null = null;
  for (const entry of entries.toReversed()) {
    const { event, revision } = entry;
    if (revision === null || takenBack.has(revision)) continue;
    if (event === 'rolled-back') takenBack.add(revision);
    if (event === 'applied') return { whole: revision, attempted: attempted === revision ? null : attempted };
    if (tellsOfWriting(entry)) attempted ??= revision;
  }
  return { whole: null, attempted };
}

/** What has to outlive all other entries, one of each: what was put in place last, and what was begun last. */
export function lastingEvent(entry: Told): string | null {
  if (entry.event === 'applied' || entry.event === 'rolled-back') return entry.event;
  return tellsOfWriting(entry) ? 'written' : null;
}

function tellsOfWriting({ event, plan }: Told): boolean {
  return event === 'applied-degraded' || (event === 'delivering' && plan !== null);
}
