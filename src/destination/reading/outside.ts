import type { RawEntity } from '../../model/assemble.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { describe, type Entity, entityName } from '../../model/entity.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { Kind, KindName } from '../../model/kind.ts';
import { kinds } from '../../model/kinds.ts';
import { fileLocation } from '../../model/location.ts';
import { environmentMask } from '../../model/mask.ts';
import { allEntities, type State } from '../../model/state.ts';
import { normalTarget } from '../../model/target-address.ts';
import type { PlannedDelivery, Write } from '../../plan/plan.ts';
import { targetOf } from '../writing/refusals.ts';
import { rawLive } from './live-entity.ts';
import { listAll, type ReadWorld } from './read-kinds.ts';

/** A destination of which only what carries certain tags is owned. */
export interface OwnedWorld extends Pick<ReadWorld, 'http' | 'pace' | 'clock' | 'random' | 'prefix' | 'paths'> {
  readonly name: string;
  readonly tags: readonly string[];
}

/**
 * What the target state names and the scope's tags leave out: references by name to entities that others own, looked
 * up so that their ids are known. They are read, and never changed.
 */
export async function namedOutside(
  world: OwnedWorld,
  expected: State,
  signal: AbortSignal,
): Promise<readonly RawEntity[]> {
  const wanted = new Map<KindName, Set<string>>();
  for (const entity of allEntities(expected)) {
    for (const { resolved, id, kind, identity } of entity.references) {
      if (resolved || id !== null) continue;
      wanted.set(kind, (wanted.get(kind) ?? new Set()).add(identity));
    }
  }
  const found: RawEntity[] = [];
  for (const [kind, names] of wanted) {
    for (const answer of await listWhole(world, kinds[kind], null, signal)) {
      const own = ['name', 'username', 'custom_id', 'prefix'].map((field) => answer[field]);
      if (!hasTags(answer, world.tags) && own.some((name) => typeof name === 'string' && names.has(name))) {
        found.push(rawLive(kinds[kind], answer, null));
      }
    }
  }
  return found;
}

/**
 * Writes that would take over an entity outside of the tags: one of the same id, which a PUT would overwrite, or one
 * that has a unique value that a write needs. Asked before anything is written; a diagnostic for each, with the tags of
 * the other's owner.
 */
export async function takeOvers(
  world: OwnedWorld,
  state: State,
  delivery: PlannedDelivery,
  signal: AbortSignal,
): Promise<readonly Diagnostic[]> {
  if (world.tags.length === 0) return [];
  const suspects = new Map<string, { readonly kind: Kind; readonly parent: string | null; readonly writes: Write[] }>();
  // What is written more than once is looked at as it is to be in the end.
  for (const write of new Map(delivery.writes.map((write) => [write.change, write])).values()) {
    const kind = kinds[write.kind];
    if (!kind.tags || !mayClash(kind, write, delivery)) continue;
    const parent = world.paths(kind)?.flat === null ? write.parentId : null;
    const key = `${write.kind} ${parent ?? ''}`;
    const known = suspects.get(key);
    if (known === undefined) suspects.set(key, { kind, parent, writes: [write] });
    else known.writes.push(write);
  }
  const created = new Set(delivery.writes.filter(({ action }) => action === 'create').map(({ id }) => id));
  const diagnostics: Diagnostic[] = [];
  const mask = environmentMask(state);
  const shown = (entity: Entity): Entity => ({ ...entity, name: mask(entity.name) });
  for (const { kind, parent, writes } of suspects.values()) {
    // Nothing can be under a parent that is yet to be made.
    if (parent !== null && created.has(parent)) continue;
    const all = await listWhole(world, kind, parent, signal);
    const others = new Clashes(
      kind,
      all.filter((answer) => !hasTags(answer, world.tags)),
    );
    for (const write of writes) {
      const change = delivery.plan.changes[write.change];
      const entity = change === undefined ? undefined : targetOf(state, change);
      const clash = others.with(write);
      if (entity !== undefined && clash !== null) diagnostics.push(takeOver(world, shown(entity), clash));
    }
  }
  return diagnostics;
}

/** Whether a write brings an id or a unique value that is new to what is owned. */
function mayClash(kind: Kind, write: Write, { plan }: PlannedDelivery): boolean {
  if (write.body === null) return false;
  if (write.action === 'create') return true;
  const unique = new Set(kind.unique.flatMap(({ fields }) => fields));
  return plan.changes[write.change]?.fields.some(({ path }) => unique.has(path.split('/')[1] ?? '')) === true;
}

async function listWhole(
  world: OwnedWorld,
  kind: Kind,
  parent: string | null,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const paths = world.paths(kind);
  const path = paths?.flat ?? paths?.nested?.path.replace('{parent}', encodeURIComponent(parent ?? ''));
  return path === undefined ? [] : listAll({ ...world, tags: [] }, kind, path, signal);
}

interface Clash {
  readonly other: JsonObject;
  /** The fields that both have the same values of; `id` for the id. */
  readonly fields: readonly string[];
}

/** Finds which of a set of entities has the id or a unique value of another one. */
class Clashes {
  readonly #kind: Kind;
  readonly #byValue = new Map<string, Clash>();

  constructor(kind: Kind, others: readonly JsonObject[]) {
    this.#kind = kind;
    for (const other of others) {
      for (const { key, fields } of valuesOf(kind, other)) this.#byValue.set(key, { other, fields });
    }
  }

  with(write: Write): Clash | null {
    for (const { key } of valuesOf(this.#kind, { ...write.body, id: write.id })) {
      const found = this.#byValue.get(key);
      if (found !== undefined) return found;
    }
    return null;
  }
}

function valuesOf(
  kind: Kind,
  wire: JsonObject,
): readonly { readonly key: string; readonly fields: readonly string[] }[] {
  const part = (field: string): Json => {
    const value = wire[field] ?? null;
    if (isJsonObject(value)) return value['id'] ?? null;
    return field === 'target' && typeof value === 'string' ? normalTarget(value) : value;
  };
  const constraints = kind.unique.flatMap((constraint) => {
    const parts = constraint.fields.map(part);
    const isThere = (value: Json) => value !== null && value !== '';
    if (!(constraint.nullsClash ? parts.some(isThere) : parts.every(isThere))) return [];
    return [{ key: canonicalJson([...constraint.fields, ...parts]), fields: constraint.fields }];
  });
  const digest =
    kind.name === 'ca_certificates' ? kind.identity({ fields: wire, foreign: () => null, snis: [] }) : null;
  return [
    { key: canonicalJson(['id', part('id')]), fields: ['id'] },
    ...constraints,
    ...(digest === null ? [] : [{ key: digest, fields: ['cert'] }]),
  ];
}

function takeOver(world: OwnedWorld, entity: Entity, { other, fields }: Clash): Diagnostic {
  const tags = tagsOf(other);
  const owner = tags.length === 0 ? 'no tags' : `the tags ${list(tags)}`;
  const [field] = fields;
  return {
    rule: 'outside-scope',
    severity: 'error',
    message: `${world.name} has another ${kinds[entity.kind].label} with the ${fields.join(', ')} of ${describe(entity)}. It has ${owner}, so that it is not owned here (${list(world.tags)}) and is not taken over`,
    hint: `Give one of them another ${field ?? 'value'}, or the other one the tags ${list(world.tags)} to have it managed here. Until then nothing of this revision goes out to ${world.name}.`,
    locations: [(field === undefined ? undefined : entity.source?.at([field])) ?? fileLocation('(not in the files)')],
    entities: [entityName(entity)],
  };
}

function list(tags: readonly string[]): string {
  return tags.map((tag) => `"${tag}"`).join(', ');
}

function hasTags(answer: JsonObject, tags: readonly string[]): boolean {
  const own = tagsOf(answer);
  return tags.every((tag) => own.includes(tag));
}

function tagsOf(answer: JsonObject): readonly string[] {
  const { tags } = answer;
  return isJsonArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}
