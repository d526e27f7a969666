import type { Entity, Reference } from '../model/entity.ts';
import type { Differences } from './differences.ts';
import { ignoredBy } from './ignored.ts';
import { type Matching, match } from './match.ts';
import type { Operation } from './operation.ts';
import { neededAsLive } from './protected.ts';

/** What differs, divided into what is put right and what is only told. */
export interface Reporting {
  /** The target state with what is only told as it is live. */
  readonly matching: Matching;
  /** What is put right. */
  readonly found: Differences;
  /** What is only told, whole or in part. */
  readonly reported: readonly Operation[];
}

/**
 * Divides what differs by patterns of what is only told (as `driftIgnore` has them). Of an entity that is named whole
 * everything is told, that it is missing or was made too, unless what is put right needs it made or gone.
 */
export function reportedBy(
  patterns: readonly string[],
  whole: { readonly matching: Matching; readonly read: Matching['live'] },
  compare: (matching: Matching) => Differences,
): Reporting {
  const all = compare(whole.matching);
  if (patterns.length === 0) return { matching: whole.matching, found: all, reported: [] };
  const named = ignoredBy(patterns);
  const matching = match(named.target(whole.matching), whole.matching.live, whole.read);
  const rest = compare(matching);
  const entire = rest.operations.filter(({ action, entity }) => action !== 'update' && named.whole(entity));
  const left = withoutNeeded(entire, rest.operations, matching, neededAsLive(matching, named.whole));
  const corrected = new Map(rest.operations.map((operation) => [operation.live, operation]));
  const parts = all.operations.flatMap((operation): readonly Operation[] => {
    if (operation.action !== 'update') return [];
    const done = new Set((corrected.get(operation.live)?.fields ?? []).map(({ path }) => path));
    const fields = operation.fields.filter(({ path }) => !done.has(path));
    return fields.length === 0 ? [] : [{ ...operation, fields }];
  });
  return {
    matching,
    found: { ...rest, operations: rest.operations.filter((operation) => !left.has(operation)) },
    reported: [...rest.operations.filter((operation) => left.has(operation)), ...parts],
  };
}

/**
 * Of what could be left undone, all but what is needed: made for what names it, or gone with what it names. What is left
 * as it is live keeps what it names in turn.
 */
function withoutNeeded(
  candidates: readonly Operation[],
  operations: readonly Operation[],
  matching: Matching,
  needed: ReadonlySet<Entity>,
): ReadonlySet<Operation> {
  const kept = operations.filter(({ action, entity }) => action === 'delete' && needed.has(entity));
  const left = new Set([...candidates, ...kept]);
  const of = (wanted: Operation['action']) =>
    new Map(operations.filter(({ action }) => action === wanted).map((one) => [one.entity, one]));
  const [comes, goes] = [of('create'), of('delete')];
  const isDone = (operation: Operation | undefined) => operation !== undefined && !left.has(operation);
  const liveReferent = ({ kind, id }: Reference) => (id === null ? undefined : matching.live.byId(kind, id));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const operation of operations) {
      const { action, entity } = operation;
      const owners = entity.references.map(action === 'delete' ? liveReferent : matching.referent);
      const named = owners.filter((owner) => owner !== undefined);
      if (action === 'delete') {
        if (named.some((owner) => isDone(goes.get(owner)))) left.delete(operation);
      } else if (isDone(operation)) {
        for (const owner of named) {
          const maker = comes.get(owner);
          if (maker !== undefined) left.delete(maker);
        }
      }
    }
  }
  return left;
}
