import { kinds } from '../model/kinds.ts';
import type { Edges } from './graph.ts';
import { isGuard } from './guards.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import type { Step } from './steps.ts';

/**
 * Leaves deletes to those of what the entity belongs to: what waits for such a delete, to take a value that it frees,
 * waits for the owner's instead, wherever that makes no circle. The server then deletes both with one request. Guards
 * keep their own order.
 */
export function leaveToOwners(
  waits: Edges,
  steps: readonly Step[],
  operations: readonly Operation[],
  matching: Matching,
): void {
  const deletions = new Map(
    [...operations.entries()].flatMap(([at, { action, live }]) => (action === 'delete' ? [[live, at] as const] : [])),
  );
  const ownerOf = (operation: number): number | undefined => {
    const { live } = operations[operation] ?? {};
    if (live === null || live === undefined) return undefined;
    for (const { field, onDelete } of kinds[live.kind].foreign) {
      if (onDelete !== 'cascade') continue;
      const to = live.references.find((reference) => reference.field === field);
      const owner = to?.id == null ? undefined : matching.live.byId(to.kind, to.id);
      const deletion = owner === undefined ? undefined : deletions.get(owner);
      if (deletion !== undefined) return ownerOf(deletion) ?? deletion;
    }
    return undefined;
  };
  const followers = followersOf(waits);
  for (const [at, { operation, role }] of steps.entries()) {
    const { action, entity } = operations[operation] ?? {};
    if (entity === undefined || isGuard(entity.kind)) continue;
    if (role !== 'removal' && !(role === 'main' && action === 'delete')) continue;
    const owner = ownerOf(operation);
    if (owner === undefined) continue;
    const waiting = [...(followers.get(at) ?? [])].filter((one) => !isDeletion(steps[one], operations));
    if (waiting.length === 0 || reaches(waits, owner, new Set(waiting))) continue;
    for (const one of waiting) {
      waits[one]?.delete(at);
      waits[one]?.add(owner);
      followers.get(at)?.delete(one);
      const own = followers.get(owner);
      if (own === undefined) followers.set(owner, new Set([one]));
      else own.add(one);
    }
  }
}

function isDeletion(step: Step | undefined, operations: readonly Operation[]): boolean {
  return step?.role === 'main' && operations[step.operation]?.action === 'delete';
}

function followersOf(waits: Edges): Map<number, Set<number>> {
  const followers = new Map<number, Set<number>>();
  for (const [at, others] of waits.entries()) {
    for (const other of others) {
      const known = followers.get(other);
      if (known === undefined) followers.set(other, new Set([at]));
      else known.add(at);
    }
  }
  return followers;
}

/** Whether one step waits for one of others, be it through further ones. */
function reaches(waits: Edges, from: number, others: ReadonlySet<number>): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    if (others.has(at)) return true;
    for (const next of waits[at] ?? []) seen.add(next);
  }
  return false;
}
