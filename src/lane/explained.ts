import type { Diagnostic } from '../model/diagnostic.ts';
import { kinds } from '../model/kinds.ts';
import type { Change } from '../plan/plan.ts';
import type { LaneStatus } from './lane-status.ts';
import type { PassEnd } from './pass.ts';

/** Where a wait at one destination changes nothing. */
export const elsewhere = 'every destination that does not come after this one';

/** So many entities are named, and so many characters of a name are shown. */
const [mostNamed, longestName] = [5, 80];

/** What is known of a destination besides how the pass ended. */
export interface Around {
  /** The revision that stays in force where another one cannot be; null where none is known, or it is that one. */
  readonly inForce: string | null;
  /** Whether what stays in force is kept against drift. */
  readonly corrects: boolean;
}

/** Which entities and files the end of a pass concerns, and what it does not: both null where nothing is wrong. */
export function explained(ended: PassEnd, around: Around): Pick<LaneStatus, 'concerns' | 'unaffected'> {
  switch (ended.end) {
    case 'superseded':
    case 'refused-in-part':
      return { concerns: null, unaffected: null };
    case 'applied': {
      const differing = [...ended.left, ...ended.reported];
      if (differing.length === 0) return { concerns: null, unaffected: null };
      return said(ofChanges(differing), 'all else here, which is put right');
    }
    case 'drifted':
      return said(ofChanges(ended.plan.changes), 'what does not differ');
    case 'rejected':
      return said(
        ofFindings(ended.diagnostics) ?? (ended.plan === null ? null : ofChanges(ended.plan.changes)),
        ended.leaves === 'this-in-part'
          ? 'what was not refused, and is live'
          : stays(around, ended.leaves === 'last-good'),
      );
    case 'waiting':
      return said(ofChanges(ended.plan.changes), stays(around, true));
    case 'held':
      return said(ofChanges(deletesFirst(ended.plan.changes)), stays(around, true));
    case 'unhealthy':
    case 'unconfirmed':
      return said(ofChanges(ended.plan.changes), null);
    case 'failed': {
      const { plan, open = null } = ended;
      if (plan === null) return said(null, stays(around, false));
      if (open === null) return said(ofChanges(plan.changes), stays(around, false));
      const done = plan.changes.length - open.length;
      return said(ofChanges(open), done === 0 ? null : `${done} of ${plan.changes.length} changes, which were made`);
    }
    case 'not-ours':
      return said(null, null);
  }
}

function said(concerns: string | null, here: string | null): Pick<LaneStatus, 'concerns' | 'unaffected'> {
  return {
    concerns: concerns ?? 'everything at this destination',
    unaffected: here === null ? elsewhere : `${elsewhere}; ${here}`,
  };
}

function stays({ inForce, corrects }: Around, keeps: boolean): string {
  const what = inForce === null ? 'what is live here' : `revision ${inForce.slice(0, 7)}, which is in force here`;
  return keeps && corrects && inForce !== null ? `${what} and kept against drift` : what;
}

/** What a plan is held for are mostly its deletes: of a long plan they are what has to be seen. */
function deletesFirst(changes: readonly Change[]): readonly Change[] {
  const isDelete = ({ action }: Change) => action === 'delete';
  return [...changes.filter(isDelete), ...changes.filter((one) => !isDelete(one))];
}

function ofChanges(changes: readonly Change[]): string | null {
  return listed(changes.map(({ kind, name, location }) => named(kind, name, location)));
}

/** Whatever is found wrong is told with its place; what has no entity is about the file as a whole. */
function ofFindings(diagnostics: readonly Diagnostic[]): string | null {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const names = errors.flatMap(({ entities, locations }) => {
    const place = locations[0] ?? null;
    if (entities.length > 0) return entities.map(({ kind, name }, at) => named(kind, name, locations[at] ?? place));
    return place === null ? [] : [`${place.file}:${place.line}`];
  });
  return listed([...new Set(names)]);
}

function named(
  kind: Change['kind'],
  name: string,
  place: { readonly file: string; readonly line: number } | null,
): string {
  const short = name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name;
  return `${kinds[kind].label} "${short}" (${place === null ? 'in no file' : `${place.file}:${place.line}`})`;
}

function listed(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return `${names.slice(0, mostNamed).join(', ')}${more}`;
}
