import type { Diagnostic } from '../../model/diagnostic.ts';
import { describe, type Entity, entityName } from '../../model/entity.ts';
import { fromPointer } from '../../model/json.ts';
import { kinds } from '../../model/kinds.ts';
import { fileLocation } from '../../model/location.ts';
import { secretTexts } from '../../model/secret.ts';
import { allEntities, type State } from '../../model/state.ts';
import type { Change, PlannedDelivery } from '../../plan/plan.ts';
import { entitySchema } from '../../schema/entity-schema.ts';
import type { Schemas } from '../../schema/schema.ts';
import { secretPaths } from '../../schema/secret-paths.ts';
import type { Outcome } from '../destination.ts';
import { type Objection, objections } from './objections.ts';

/** Who refuses, and by what schemas its entities' secrets are known. */
export interface Refuser {
  readonly name: string;
  readonly schemas: Schemas;
}

/** Where a finding is about nothing that stands in a file. */
const nowhere = fileLocation('(not in the files)');

const hint = 'Change what the destination objects to. Nothing that depends on it was delivered.';

/** Objections to one entity as diagnostics at its places in the files; no secret of the entity is repeated. */
export function refusalDiagnostics(
  { name, schemas }: Refuser,
  entity: Entity,
  found: readonly Objection[],
): readonly Diagnostic[] {
  return found.map(({ path, words }) => ({
    rule: 'destination-refused',
    severity: 'error',
    message: `${name} refuses ${describe(entity)}${path.length === 0 ? '' : ` at ${path.join('.')}`}: ${hideSecrets(words, entity, schemas)}`,
    hint,
    locations: [(path.length === 0 ? entity.source?.location : entity.source?.at(path)) ?? nowhere],
    entities: [entityName(entity)],
  }));
}

/** Objections that are about no entity that is known, without any secret of the whole state. */
export function generalRefusal(
  { name, schemas }: Refuser,
  state: State,
  found: readonly Objection[],
): readonly Diagnostic[] {
  const entities = allEntities(state);
  return found.map(({ path, words }) => ({
    rule: 'destination-refused',
    severity: 'error',
    message: `${name} refuses the configuration${path.length === 0 ? '' : ` at ${path.join('.')}`}: ${entities.reduce((text, entity) => hideSecrets(text, entity, schemas), words)}`,
    hint,
    locations: [nowhere],
    entities: [],
  }));
}

/** Every refused change as diagnostics, with its places in the files. */
export function rejections(
  refuser: Refuser,
  state: State,
  delivery: PlannedDelivery,
  outcomes: Outcome['changes'],
): readonly Diagnostic[] {
  return outcomes.flatMap((outcome): readonly Diagnostic[] => {
    const change = delivery.plan.changes[outcome.change];
    if (outcome.result !== 'rejected' || change === undefined) return [];
    const found = objections(outcome.failure);
    const entity = targetOf(state, change);
    return entity === undefined ? refusedDeletion(refuser, change, found) : refusalDiagnostics(refuser, entity, found);
  });
}

function refusedDeletion({ name }: Refuser, change: Change, found: readonly Objection[]): readonly Diagnostic[] {
  return found.map(({ words }) => ({
    rule: 'destination-refused',
    severity: 'error',
    message: `${name} refuses to delete ${kinds[change.kind].label} "${change.name}": ${words}`,
    hint: 'Delete what still refers to it as well, or declare it again.',
    locations: [change.location ?? nowhere],
    entities: [{ kind: change.kind, name: change.name }],
  }));
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

/** The text without any value that is secret in the entity: from the environment, by the registry, or by its schema. */
function hideSecrets(text: string, entity: Entity, schemas: Schemas): string {
  const schema = entitySchema(schemas, entity.kind, entity.fields);
  const patterns = schema === undefined ? [] : secretPaths(schema).map(fromPointer);
  return secretTexts(entity, patterns).reduce(
    (hidden, secret) => (secret === '' ? hidden : hidden.replaceAll(secret, '***')),
    text,
  );
}
