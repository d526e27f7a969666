import { type Entity, referenceOf } from '../model/entity.ts';
import { kinds } from '../model/kinds.ts';
import { differences } from './differences.ts';
import { fingerprintOf } from './fingerprint.ts';
import { guard } from './guard.ts';
import { ignoredBy } from './ignored.ts';
import { type Matching, match } from './match.ts';
import type { Operation } from './operation.ts';
import type { Action, Change, PlannedDelivery } from './plan.ts';
import type { PlanInput } from './plan-input.ts';
import { neededAsLive, protectedIn } from './protected.ts';
import { reportedBy } from './reported.ts';
import { scoped } from './scope.ts';
import { gatherSecrets, type Secrets } from './secrets.ts';
import { sequence } from './sequence.ts';
import { undeliveredDiagnostics } from './undelivered.ts';
import { planWarnings } from './warnings.ts';
import { writesOf } from './writes.ts';

/**
 * The ordered difference between a target state and what is live, complete before anything is sent: the plan, which
 * holds no secret, and the writes that carry it out. The same input gives the same plan, in whatever order its
 * entities come.
 */
export function plan(input: PlanInput): PlannedDelivery {
  const secrets = gatherSecrets(input.state, input.live.state, input.hidden);
  const scope = scoped(input);
  const ignored = ignoredBy(input.ignore ?? []);
  const first = match(scope.target, scope.live, input.live.state);
  const target = ignored.target(first);
  const whole = target === scope.target ? first : match(target, scope.live, input.live.state);
  const kept = protectedIn(whole, input.policy.protect ?? []);
  const needed = neededAsLive(whole, ignored.whole);
  const whyKept = (entity: Entity) => {
    // What is pushed whole deletes all that it does not have: that is held instead.
    if (input.mode === 'dbless') return null;
    if (!input.policy.prune) return 'prune is off';
    if (ignored.whole(entity) || needed.has(entity)) return 'others may change it';
    return kept.has(entity) ? 'it is protected' : null;
  };
  // What is pushed whole cannot be put right in part.
  const report = input.mode === 'dbless' ? [] : (input.report ?? []);
  const { matching, found, reported } = reportedBy(report, { matching: whole, read: input.live.state }, (either) =>
    differences(either, input.schemas, secrets, whyKept),
  );
  const [left, operations] = divided(found.operations, input.leave ?? new Set());
  const ordered = sequence(operations, matching, input.mode);
  const order = ordered.shown;
  const changeOf = new Map(order.map((operation, at) => [operation, at]));
  const inOrder = order.map((index) => operations[index]).filter((operation) => operation !== undefined);
  const count = (action: Action) => operations.filter((operation) => operation.action === action).length;
  const deleted = inOrder.filter(({ action }) => action === 'delete').map(({ entity }) => entity);
  return {
    plan: {
      destination: input.destination,
      revision: input.revision,
      digest: input.digest,
      fingerprint: fingerprintOf(input.destination, input.digest, inOrder, matching),
      summary: {
        create: count('create'),
        update: count('update'),
        delete: count('delete'),
        unchanged: found.unchanged,
      },
      changes: inOrder.map((operation) => changeFor(operation, matching, secrets)),
      warnings: planWarnings(found, ordered, matching, secrets),
      held: guard(deleted, matching, input, secrets, kept, operations.length),
    },
    writes: writesOf(ordered, operations, matching, input.mode, (operation) => changeOf.get(operation) ?? 0),
    left: left.map((operation) => changeFor(operation, matching, secrets)),
    reported: reported.map((operation) => changeFor(operation, whole, secrets)),
    unread: found.unread,
    refused: undeliveredDiagnostics(input.destination, [...scope.undelivered, ...found.unwritable], input.state),
  };
}

/** What is left to another writer, and what is done. What is missing is made all the same: others may depend on it. */
function divided(
  operations: readonly Operation[],
  leave: ReadonlySet<string>,
): readonly [readonly Operation[], readonly Operation[]] {
  if (leave.size === 0) return [[], operations];
  const isLeft = ({ live }: Operation) => live !== null && leave.has(`${live.kind}/${live.id}`);
  return [operations.filter(isLeft), operations.filter((operation) => !isLeft(operation))];
}

function changeFor({ action, entity, target, fields }: Operation, matching: Matching, secrets: Secrets): Change {
  return {
    action,
    kind: entity.kind,
    id: target === null ? entity.id : matching.idOf(target),
    name: target === null ? secrets.inLiveName(entity.name) : secrets.inName(entity.name),
    parent: parentOf(entity, target === null ? 'live' : 'target', matching, secrets),
    fields,
    location: target?.source?.location ?? null,
  };
}

/** What an entity is shown under: what it belongs to, or the first of what a plugin applies to. */
function parentOf(entity: Entity, side: 'live' | 'target', matching: Matching, secrets: Secrets): Change['parent'] {
  const { parent, foreign } = kinds[entity.kind];
  const fields =
    parent === null ? foreign.filter((key) => key.onDelete === 'cascade').map((key) => key.field) : [parent];
  for (const field of fields) {
    const reference = referenceOf(entity, field);
    if (reference === undefined) continue;
    const liveParent = reference.id === null ? undefined : matching.live.byId(reference.kind, reference.id);
    const to = side === 'target' ? matching.referent(reference) : liveParent;
    const name = to?.name ?? reference.identity;
    return { kind: reference.kind, name: side === 'target' ? secrets.inName(name) : secrets.inLiveName(name) };
  }
  return null;
}
