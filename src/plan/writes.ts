import { type Entity, type Reference, wireBody } from '../model/entity.ts';
import { isJsonArray, type Json, type JsonObject } from '../model/json.ts';
import type { ApiPaths } from '../model/kind.ts';
import { kinds } from '../model/kinds.ts';
import { closedFields } from './closed-route.ts';
import { keptSecrets } from './kept-secrets.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import { linksToSend } from './partial-links.ts';
import type { Write } from './plan.ts';
import type { PlanInput } from './plan-input.ts';
import type { Sequence, Step } from './steps.ts';

/** What a step comes to on the wire: everything of a write but its place among the others. */
type Request = Pick<Write, 'action' | 'kind' | 'id' | 'body' | 'parentId'>;

/**
 * The requests that carry out a sequence. Deletes that the server makes by itself, with the entity that the deleted
 * one belongs to, have none: the write that stands for them says so in `covers`. `changeOf` gives an operation's place
 * in the plan.
 */
export function writesOf(
  sequence: Sequence,
  operations: readonly Operation[],
  matching: Matching,
  mode: PlanInput['mode'],
  changeOf: (operation: number) => number,
): readonly Write[] {
  if (mode === 'dbless') return [];
  const removed = new Set(sequence.steps.filter(({ role }) => role === 'removal').map(({ operation }) => operation));
  const closed = new Set(sequence.steps.filter(({ role }) => role === 'closed').map(({ operation }) => operation));
  const context = { matching, mode, removed, closed };
  const standIns = findStandIns(sequence, operations, matching);
  const covers = new Map<number, number[]>();
  const waits = sequence.after.map((list) => [...list]);
  for (const [step, standIn] of standIns) {
    // What is made again elsewhere is told by that write.
    const { operation = 0, role = 'main' } = sequence.steps[step] ?? {};
    if (role === 'main') addTo(covers, standIn, changeOf(operation));
    for (const one of waits[step] ?? []) waits[standIn]?.push(one);
  }
  const sent = [...sequence.steps.keys()].filter((step) => !standIns.has(step));
  const place = new Map(sent.map((step, at) => [step, at]));
  return sent.flatMap((at): Write[] => {
    const step = sequence.steps[at];
    const operation = step === undefined ? undefined : operations[step.operation];
    if (step === undefined || operation === undefined) return [];
    const places = (others: readonly number[]) =>
      others.map((other) => place.get(other)).filter((other) => other !== undefined);
    const after = places(waits[at] ?? []);
    const moves = places(sequence.reopened.get(at) ?? []);
    const unless = moves.length > 0 ? moves : places(sequence.takenBack.get(at) ?? []);
    const live = step.route ?? operation.live;
    return [
      {
        change: changeOf(step.operation),
        covers: (covers.get(at) ?? []).sort((a, b) => a - b),
        ...request(step, operation, context),
        ...kept(step, operation, context),
        after: [...new Set(after)].sort((a, b) => a - b),
        ...(live === null || unless.length === 0
          ? {}
          : {
              takenBack: {
                body: liveBody(live),
                unless: unless.sort((a, b) => a - b),
                when: moves.length > 0 ? 'none-comes' : 'one-fails',
              },
            }),
      },
    ];
  });
}

/**
 * Deletes that need no request, with the step of the delete that makes them: those that nothing waits for but the
 * deletes of what they belong to.
 */
function findStandIns(
  { steps, after }: Sequence,
  operations: readonly Operation[],
  matching: Matching,
): ReadonlyMap<number, number> {
  const followers = new Map<number, number[]>();
  for (const [step, list] of after.entries()) {
    for (const other of list) addTo(followers, other, step);
  }
  const deletions = new Map<Entity, number>();
  for (const [at, { operation, role }] of steps.entries()) {
    const { action, live } = operations[operation] ?? {};
    if (live && (role === 'removal' || (role === 'main' && action === 'delete'))) deletions.set(live, at);
  }
  const standIns = new Map<number, number>();
  // Parents are deleted after their children, so from the end each parent's own stand-in is known already.
  for (const [live, at] of [...deletions].sort(([, a], [, b]) => b - a)) {
    const owners = kinds[live.kind].foreign
      .filter((key) => key.onDelete === 'cascade')
      .flatMap((key) => live.references.filter((reference) => reference.field === key.field))
      .map((reference) => (reference.id === null ? undefined : matching.live.byId(reference.kind, reference.id)))
      .map((owner) => (owner === undefined ? undefined : deletions.get(owner)))
      .filter((owner) => owner !== undefined);
    const [owner] = owners;
    if (owner === undefined || (followers.get(at) ?? []).some((follower) => !owners.includes(follower))) continue;
    standIns.set(at, standIns.get(owner) ?? owner);
  }
  return standIns;
}

function addTo(lists: Map<number, number[]>, key: number, item: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

interface Context {
  readonly matching: Matching;
  readonly mode: PlanInput['mode'];
  /** Operations whose entity is deleted first, to be made again. */
  readonly removed: ReadonlySet<number>;
  /** Operations whose entity is made closed first. */
  readonly closed: ReadonlySet<number>;
}

function request(step: Step, operation: Operation, { matching, mode, removed, closed }: Context): Request {
  const { kind } = operation.entity;
  const api = mode === 'konnect' ? kinds[kind].konnect : kinds[kind].admin;
  const address = (entity: Entity, id: string, idOf: (reference: Reference) => string | null) => ({
    kind,
    id: api?.verb === 'membership' ? (idOfField(entity, 'consumer', idOf) ?? id) : id,
    parentId: api?.write === 'nested' ? idOfField(entity, api.nested?.parent ?? '', idOf) : null,
  });
  const { live, target } = operation;
  if (step.route !== undefined) {
    const closed = step.role === 'shut' ? closedFields(step.route.fields) : {};
    const { id } = step.route;
    return { action: 'update', kind: 'routes', id, parentId: null, body: { ...liveBody(step.route), ...closed } };
  }
  if (live !== null && step.role === 'interim') {
    const at = address(live, live.id, (reference) => reference.id);
    return { action: 'update', ...at, body: interimBody(step, live) };
  }
  if (live !== null && (step.role === 'removal' || target === null)) {
    return { action: 'delete', ...address(live, live.id, (reference) => reference.id), body: null };
  }
  const id = matching.idOf(target);
  const anew = live === null || removed.has(step.operation);
  const at = address(target, id, matching.idOfReference);
  const body = mainBody({ target, id, operation, anew }, api, matching, mode);
  if (step.role === 'closed') {
    return { action: anew ? 'create' : 'update', ...at, body: { ...body, ...closedFields(target.fields) } };
  }
  return { action: anew && !closed.has(step.operation) ? 'create' : 'update', ...at, body };
}

function kept({ role, route, operation: at }: Step, operation: Operation, context: Context): Pick<Write, 'kept'> {
  const { live, target } = operation;
  if (live === null || target === null || route !== undefined || role === 'removal' || context.removed.has(at))
    return {};
  const fields =
    role === 'interim'
      ? keptSecrets(live, live, ({ id }) => id)
      : keptSecrets(live, target, context.matching.idOfReference);
  return fields.length === 0 ? {} : { kept: fields };
}

function idOfField(entity: Entity, field: string, idOf: (reference: Reference) => string | null): string | null {
  const reference = entity.references.find((candidate) => candidate.field === field);
  return reference === undefined ? null : idOf(reference);
}

interface Main {
  readonly target: Entity;
  readonly id: string;
  readonly operation: Operation;
  /** Whether the entity is not there (any more) when the write arrives. */
  readonly anew: boolean;
}

function mainBody(
  { target, id, operation, anew }: Main,
  api: ApiPaths | null,
  matching: Matching,
  mode: PlanInput['mode'],
): JsonObject {
  const body: { [field: string]: Json } = { ...wireBody(target, matching.idOfReference), id };
  for (const field of kinds[target.kind].serverMade) if (field !== 'created_at') delete body[field];
  // Kong answers a null ttl, and fails on taking one (kong.md).
  if (target.kind === 'keyauth_credentials' && body['ttl'] === null) delete body['ttl'];
  const links = linksToSend(target, matching);
  if (links !== undefined) body['partials'] = links;
  const { live } = operation;
  if (live === null) return body;
  if (api?.verb === 'put') {
    const createdAt = live.made['created_at'];
    if (typeof createdAt === 'number' && body['created_at'] === undefined) body['created_at'] = createdAt;
    if (target.kind === 'certificates' && mode === 'database') body['snis'] = sniNames(live, matching);
  }
  const isKept = mode === 'database' && keptSecrets(live, target, matching.idOfReference).length > 0;
  if ((api?.verb !== 'put' || isKept) && !anew && operation.normalTarget !== null) {
    // A PATCH keeps what it is not told, so what goes back to its default has to be told.
    for (const { path } of operation.fields) {
      const field = path.split('/')[1] ?? '';
      if (body[field] === undefined) body[field] = operation.normalTarget[field] ?? null;
    }
  }
  return body;
}

/** A PUT of a certificate drops every SNI that it does not name (kong.md), so it names those of this moment. */
function sniNames(certificate: Entity, matching: Matching): readonly string[] {
  const read = certificate.made['snis'];
  const names = new Set(isJsonArray(read) ? read.filter((name) => typeof name === 'string') : []);
  for (const sni of matching.live.entities.get('snis') ?? []) {
    if (sni.references.some((reference) => reference.id === certificate.id)) names.add(sni.identity);
  }
  return [...names].sort();
}

function interimBody(step: Step, live: Entity): JsonObject {
  const references = live.references.filter(({ field }) => !step.detached.includes(field));
  return { ...liveBody({ ...live, references }), ...step.temporary };
}

function liveBody(live: Entity): JsonObject {
  const createdAt = live.made['created_at'];
  return { ...wireBody(live), ...(typeof createdAt === 'number' ? { created_at: createdAt } : {}) };
}
