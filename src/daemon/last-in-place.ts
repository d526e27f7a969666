import type { Approval } from '../lane/approvals.ts';
import { type GivenBy, unsaid } from '../lane/given-by.ts';
import type { Earlier } from '../lane/offer.ts';
import { beingDelivered, beingTakenBack } from '../lane/sayings.ts';

/** What an entry of a history tells of a delivery. */
interface Told {
  readonly event: string;
  readonly revision: string | null;
  readonly signed?: string | null;
  readonly detail: string;
  readonly plan: object | null;
  readonly approval?: Approval | null;
  readonly suspension?: GivenBy | null;
  readonly content?: string | undefined;
}

/** What is known of a destination from an earlier process, where it kept that. */
export interface LastInPlace {
  /** The revision that was confirmed in place last, as it was written. */
  readonly whole: string | null;
  /** What it was in content, where nothing else was begun since. */
  readonly content?: string;
  /** One that was delivered since, in part or without what was in quarantine. */
  readonly attempted: string | null;
  /** The revision that was taken back, and why, where nothing else was delivered since. */
  readonly takenBack?: { readonly revision: string; readonly why: string };
  /** What a person approved last, where nothing was delivered since. */
  readonly approval?: Approval;
  /** All revisions of which anything was delivered, or approved by their own commits: by name, and by what is signed. */
  readonly tried?: ReadonlySet<string>;
  /** Who suspended it and why, where nobody resumed it since. */
  readonly suspended?: GivenBy;
}

/** Nothing is known. */
export const nothingKnown: LastInPlace = { whole: null, attempted: null };

/** What the entries of a destination say was in place last; they are given oldest first, and any may be missing. */
export function lastInPlace(entries: readonly Told[]): LastInPlace {
  const back = lastTakenBack(entries);
  return {
    ...lastDelivered(entries),
    ...(back === null ? {} : { takenBack: back }),
    ...lastApproved(entries),
    ...lastSuspended(entries),
  };
}

function lastSuspended(entries: readonly Told[]): Pick<LastInPlace, 'suspended'> {
  const last = entries.findLast((entry) => tellsOfRest(entry));
  return last?.event === 'suspended' ? { suspended: last.suspension ?? unsaid } : {};
}

/** What is known of one revision at a destination. */
export function earlierOf(
  { whole, takenBack, tried }: LastInPlace,
  revision: string,
  signed: string | null = null,
): Earlier {
  return {
    applied: revision === whole,
    takenBack: takenBack?.revision === revision ? takenBack.why : null,
    wasTried: tried?.has(revision) === true || (signed !== null && tried?.has(signed) === true),
  };
}

function lastDelivered(entries: readonly Told[]): Pick<LastInPlace, 'whole' | 'attempted' | 'content'> {
  const takenBack = new Set<string>();
  let attempted: string | null = null;
  let isChanged = false;
  for (const entry of entries.toReversed()) {
    const { event, revision } = entry;
    if (revision === null || takenBack.has(revision)) continue;
    if (event === 'rolled-back') takenBack.add(revision);
    if (event === 'applied') {
      const content = isChanged ? {} : contentOf(entry);
      return { whole: revision, attempted: attempted === revision ? null : attempted, ...content };
    }
    if (!tellsOfWriting(entry)) continue;
    attempted ??= revision;
    isChanged ||= revision !== attempted || !putsRight(entry);
  }
  return { whole: null, attempted };
}

function contentOf({ content }: Told): Pick<LastInPlace, 'content'> {
  return content === undefined ? {} : { content };
}

/** Whether a delivery only puts back what was confirmed before. */
function putsRight({ detail }: Told): boolean {
  return detail === beingDelivered('drift').detail || detail === beingDelivered('nodes').detail;
}

function lastTakenBack(entries: readonly Told[]): NonNullable<LastInPlace['takenBack']> | null {
  // To put what was taken back to right is no new try.
  const last = entries.findLast((entry) => lastingEvent(entry) !== null && entry.detail !== beingTakenBack.detail);
  if (last?.event !== 'rolled-back' || last.revision === null) return null;
  return { revision: last.revision, why: last.detail.replace(/^taken back to \S+: /, '') };
}

function lastApproved(entries: readonly Told[]): Pick<LastInPlace, 'approval' | 'tried'> {
  const at = entries.findLastIndex(({ event }) => event === 'approved');
  const isUsed = entries.slice(at + 1).some((entry) => entry.event === 'delivering' || lastingEvent(entry) !== null);
  const approval = at === -1 || isUsed ? null : (entries[at]?.approval ?? null);
  const tried = entries.flatMap((entry) =>
    entry.revision !== null && (lastingEvent(entry) !== null || entry.approval?.by === 'trailer')
      ? [entry.revision, ...(entry.signed === null || entry.signed === undefined ? [] : [entry.signed])]
      : [],
  );
  return { ...(approval === null ? {} : { approval }), tried: new Set(tried) };
}

/** What has to outlive all other entries, one of each. */
export function keptEvent(entry: Told): string | null {
  if (entry.event === 'approved') return `approved by ${entry.approval?.by ?? 'person'}`;
  return tellsOfRest(entry) ? 'rest' : lastingEvent(entry);
}

function tellsOfRest({ event }: Told): boolean {
  return event === 'suspended' || event === 'resumed';
}

/** What tells of a delivery: what was put in place last, and what was begun last. */
function lastingEvent(entry: Told): string | null {
  if (entry.event === 'applied' || entry.event === 'rolled-back') return entry.event;
  return tellsOfWriting(entry) ? 'written' : null;
}

function tellsOfWriting({ event, plan }: Told): boolean {
  return event === 'applied-degraded' || (event === 'delivering' && plan !== null);
}
