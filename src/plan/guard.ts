import type { Entity } from '../model/entity.ts';
import { describe } from '../model/entity.ts';
import type { State } from '../model/state.ts';
import { allEntities } from '../model/state.ts';
import { foreignAmong } from './foreign.ts';
import type { Matching } from './match.ts';
import type { Hold } from './plan.ts';
import type { PlanInput } from './plan-input.ts';
import { excluded, leavesScope, liveInScope } from './scope.ts';
import type { Secrets } from './secrets.ts';

/**
 * Why a plan with these deletes needs a person's approval, or null. Everything that goes counts, children that the
 * server deletes along with their parent too.
 */
export function guard(
  deleted: readonly Entity[],
  matching: Matching,
  input: PlanInput,
  secrets: Secrets,
  kept: ReadonlySet<Entity> = new Set(),
  changes = deleted.length,
): Hold | null {
  const left = scopeChange(matching, input);
  if (left !== null) return left;
  if (deleted.length === 0) return null;
  const live = allEntities(matching.live).length;
  const { share, atLeast } = input.policy.maxDelete;
  if (isEmpty(matching.target)) {
    return {
      code: 'empty-target',
      message: `the target state is empty, and ${entities(live)} ${live === 1 ? 'is' : 'are'} live: all would be deleted`,
      hint: 'check that the right path and branch are followed; if it is meant, approve this plan by its fingerprint',
    };
  }
  if (deleted.length > atLeast && deleted.length > share * live) {
    return {
      code: 'mass-delete',
      message: `${deleted.length} of ${entities(live)} in scope would be deleted, more than ${percent(share)} and more than ${atLeast}`,
      hint: 'if it is meant, approve this plan by its fingerprint, or raise policy.maxDelete',
    };
  }
  return (
    lastOfKind(deleted, matching, input.policy.lastOfKind) ??
    notPruned(deleted, matching, input, secrets) ??
    foreignPrune(deleted, matching, input, secrets, changes) ??
    protectedOnes(
      deleted.filter((entity) => kept.has(entity)),
      secrets,
    )
  );
}

/** What is live with the tags of before, and without those of now, is neither seen nor changed any more. */
function scopeChange(matching: Matching, input: PlanInput): Hold | null {
  const { before = null } = input;
  const { selectTags } = matching.target;
  // A DB-less node takes its state whole, whatever its tags.
  if (before === null || input.mode === 'dbless' || !leavesScope(before.selectTags, selectTags)) return null;
  const bound = (tags: readonly string[]) => liveInScope(input, before.live, tags);
  const seen = bound(selectTags);
  const left = allEntities(bound(before.selectTags)).filter(({ kind, id }) => seen.byId(kind, id) === undefined);
  if (left.length === 0) return null;
  const [was, is] = [before.selectTags, selectTags].map((tags) => tags.map((tag) => `"${tag}"`).join(', '));
  return {
    code: 'scope-change',
    message: `the tags that bound what is owned change from ${was} to ${is}: ${entities(left.length)} with the old ones would be left behind, owned by nobody`,
    hint: 'Give what is live the new tags first, or delete it by a revision with the old ones; or approve this plan by its fingerprint.',
  };
}

function lastOfKind(deleted: readonly Entity[], matching: Matching, limit: number | undefined): Hold | null {
  if (limit === undefined) return null;
  for (const [kind, live] of matching.live.entities) {
    const gone = deleted.filter((entity) => entity.kind === kind).length;
    if (gone <= limit || gone < live.length || (matching.target.entities.get(kind) ?? []).length > 0) continue;
    return {
      code: 'last-of-kind',
      message: `all ${gone} entities of the kind ${kind} would be deleted`,
      hint: 'if it is meant, approve this plan by its fingerprint',
    };
  }
  return null;
}

/** A node without a database takes its state whole, and cannot be left what is not to be deleted. */
function notPruned(
  deleted: readonly Entity[],
  matching: Matching,
  input: Pick<PlanInput, 'mode' | 'policy' | 'exclude'>,
  secrets: Secrets,
): Hold | null {
  if (input.mode !== 'dbless') return null;
  const isKept = (entity: Entity) => !input.policy.prune || excluded(input, entity);
  const isAgain = ({ kind, identity }: Entity) => matching.target.byIdentity(kind, identity) !== undefined;
  const [first, ...others] = deleted.filter((entity) => isKept(entity) && !isAgain(entity));
  if (first === undefined) return null;
  const named = describe({ ...first, name: secrets.inLiveName(first.name) });
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  const key = input.policy.prune ? 'exclude' : 'policy.prune: false';
  return {
    code: 'not-pruned',
    message: `${named}${more} would be deleted, which \`${key}\` is to leave alone: a node without a database takes its state whole`,
    hint: 'declare it, or set prune to true; or approve this plan by its fingerprint',
  };
}

function protectedOnes(kept: readonly Entity[], secrets: Secrets): Hold | null {
  const [first] = kept;
  if (first === undefined) return null;
  const named = describe({ ...first, name: secrets.inLiveName(first.name) });
  const more = kept.length > 1 ? ` and ${kept.length - 1} more` : '';
  return {
    code: 'protected',
    message: `${named}${more} would be deleted, which a tag protects`,
    hint: 'declare it, or take the tag away by a revision of its own; or approve this plan by its fingerprint',
  };
}

function foreignPrune(
  deleted: readonly Entity[],
  matching: Matching,
  { policy, declaredEarlier, namesEarlier }: Pick<PlanInput, 'policy' | 'declaredEarlier' | 'namesEarlier'>,
  secrets: Secrets,
  changes: number,
): Hold | null {
  if (policy.adopt || declaredEarlier === null) return null;
  const { count, entities: foreign } = foreignAmong(deleted, matching, declaredEarlier, namesEarlier);
  if (count === 0) return null;
  const named = foreign.slice(0, 3).map((entity) => describe({ ...entity, name: secrets.inLiveName(entity.name) }));
  const more = foreign.length > named.length ? ` and ${foreign.length - named.length} more` : '';
  const untold =
    foreign.length > count ? ' (which of these cannot be told, since values of the environment changed)' : '';
  return {
    code: 'foreign-prune',
    message: `${entities(count)} that no revision of the branch declared would be deleted${untold}: ${named.join(', ')}${more}${waiting(changes - foreign.length)}`,
    hint: 'declare what should stay, or give it a tag of policy.protect or exclude.tags to have it left alone; to have it deleted, approve this plan by its fingerprint, or set policy.adopt',
  };
}

/** What a hold keeps back besides what it is about: a plan goes out whole or not at all. */
function waiting(others: number): string {
  return others === 0 ? '' : `; ${others === 1 ? '1 other change waits' : `${others} other changes wait`} with it`;
}

/** Whether a state holds nothing at all. */
export function isEmpty(state: State): boolean {
  return [...state.entities.values()].every((list) => list.length === 0);
}

function entities(count: number): string {
  return count === 1 ? '1 entity' : `${count} entities`;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}
