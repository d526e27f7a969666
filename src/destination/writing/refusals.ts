import type { Diagnostic } from '../../model/diagnostic.ts';
import { describe, type Entity, entityName } from '../../model/entity.ts';
import type { JsonPath } from '../../model/json.ts';
import { kinds } from '../../model/kinds.ts';
import { fileLocation } from '../../model/location.ts';
import { environmentMask } from '../../model/mask.ts';
import { allEntities, type State } from '../../model/state.ts';
import type { Change, PlannedDelivery } from '../../plan/plan.ts';
import { deniesAccess, type FailureFacts } from '../../platform/failure.ts';
import type { Outcome } from '../destination.ts';
import { withServerWords } from '../server-words.ts';
import { hideSecrets, type KnownSecrets } from './hide-secrets.ts';
import { type Objection, objections } from './objections.ts';

/** Who refuses, and what must not be repeated of its words. */
export interface Refuser extends KnownSecrets {
  readonly name: string;
}

/** Where a finding is about nothing that stands in a file. */
const nowhere = fileLocation('(not in the files)');

const hint = 'Change what the destination objects to. Nothing that depends on it was delivered.';

/** Objections to one entity as diagnostics at its places in the files; no secret that is known is repeated. */
export function refusalDiagnostics(
  refuser: Refuser,
  state: State,
  entity: Entity,
  found: readonly Objection[],
): readonly Diagnostic[] {
  const named = { ...entity, name: environmentMask(state)(entity.name) };
  return found.map(({ path, words }) => ({
    rule: 'destination-refused',
    severity: 'error',
    message: `${refuser.name} refuses ${describe(named)}${at(path, refuser, state)}: ${hideSecrets(words, refuser, state, entity)}`,
    hint,
    locations: [(path.length === 0 ? entity.source?.location : entity.source?.at(path)) ?? nowhere],
    entities: [entityName(named)],
  }));
}

/** A server says where by its own names of fields, which may be those of a map that a user filled. */
function at(path: JsonPath, refuser: Refuser, state: State): string {
  return path.length === 0 ? '' : ` at ${hideSecrets(path.join('.'), refuser, state, null)}`;
}

/** Objections that are about no entity that is known, without any secret of the whole state. */
export function generalRefusal(refuser: Refuser, state: State, found: readonly Objection[]): readonly Diagnostic[] {
  return found.map(({ path, words }) => ({
    rule: 'destination-refused',
    severity: 'error',
    message: `${refuser.name} refuses the configuration${at(path, refuser, state)}: ${hideSecrets(words, refuser, state, null)}`,
    hint,
    locations: [nowhere],
    entities: [],
  }));
}

/** Every refused change as diagnostics, with its places in the files. Who may not write has nothing refused there. */
export function rejections(
  refuser: Refuser,
  state: State,
  delivery: PlannedDelivery,
  outcomes: Outcome['changes'],
): readonly Diagnostic[] {
  return outcomes.flatMap((outcome): readonly Diagnostic[] => {
    const change = delivery.plan.changes[outcome.change];
    if (outcome.result !== 'rejected' || change === undefined || deniesAccess(outcome.failure)) return [];
    const found = objections(outcome.failure);
    const entity = targetOf(state, change);
    return entity === undefined
      ? refusedDeletion(refuser, state, change, found)
      : refusalDiagnostics(refuser, state, entity, found);
  });
}

function refusedDeletion(
  refuser: Refuser,
  state: State,
  change: Change,
  found: readonly Objection[],
): readonly Diagnostic[] {
  return found.map(({ words }) => ({
    rule: 'destination-refused',
    severity: 'error',
    message: `${refuser.name} refuses to delete ${kinds[change.kind].label} "${change.name}": ${hideSecrets(words, refuser, state, null)}`,
    hint: 'Delete what still refers to it as well, or declare it again.',
    locations: [change.location ?? nowhere],
    entities: [{ kind: change.kind, name: change.name }],
  }));
}

/** What a delivery ended with, in the server's words too; what it refused is told entity by entity. */
export function explainedFailure(
  refuser: Refuser,
  state: State,
  delivery: PlannedDelivery,
  { changes, failure }: Pick<Outcome, 'changes' | 'failure'>,
): FailureFacts | null {
  if (failure === null || (failure.class === 'rejected' && !deniesAccess(failure))) return failure;
  const about = changes.find((outcome) => 'failure' in outcome && outcome.failure === failure);
  const change = about === undefined ? undefined : delivery.plan.changes[about.change];
  const entity = change === undefined ? undefined : targetOf(state, change);
  return withServerWords(failure, (words) => hideSecrets(words, refuser, state, entity ?? null));
}

/** A failure that is about one change before it was sent: it names it, in the server's words too. */
export function failureAbout(
  refuser: Refuser,
  state: State,
  about: { readonly change: Change; readonly entity: Entity; readonly failure: FailureFacts },
): FailureFacts {
  const { change, entity, failure } = about;
  const told = withServerWords(failure, (words) => hideSecrets(words, refuser, state, entity));
  return { ...told, message: `${kinds[change.kind].label} "${change.name}": ${told.message}` };
}

/** The entity of the target state that a change is about, or undefined for a delete. */
export function targetOf(state: State, change: Change): Entity | undefined {
  if (change.action === 'delete') return undefined;
  // An adopted entity has another id in the destination than in the files; its place, else its name, is the same.
  const index = otherwiseKnown(state);
  return (
    state.byId(change.kind, change.id) ??
    (change.location === null ? undefined : index.get(placeKey(change.kind, change.location))) ??
    index.get(`${change.kind}/${change.name}`)
  );
}

const indexes = new WeakMap<State, ReadonlyMap<string, Entity>>();

function otherwiseKnown(state: State): ReadonlyMap<string, Entity> {
  const known = indexes.get(state);
  if (known !== undefined) return known;
  const index = new Map<string, Entity>();
  for (const entity of allEntities(state)) {
    index.set(`${entity.kind}/${entity.name}`, entity);
    if (entity.source !== null) index.set(placeKey(entity.kind, entity.source.location), entity);
  }
  indexes.set(state, index);
  return index;
}

function placeKey(kind: string, place: { readonly file: string; readonly line: number; readonly column: number }) {
  return `${kind}\n${place.file}\n${place.line}\n${place.column}`;
}
