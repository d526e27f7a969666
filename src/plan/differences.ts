import type { Entity, Reference } from '../model/entity.ts';
import { referenceOf } from '../model/entity.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { kinds } from '../model/kinds.ts';
import { allEntities } from '../model/state.ts';
import { entitySchema } from '../schema/entity-schema.ts';
import type { RecordSchema, Schemas } from '../schema/schema.ts';
import { type Comparison, fieldChanges } from './field-diff.ts';
import type { Matching } from './match.ts';
import { align, normalFields, writtenFields } from './normal-form.ts';
import type { Operation } from './operation.ts';
import { comparableLinks } from './partial-links.ts';
import type { FieldChange } from './plan.ts';
import { ownSecrets, type Secrets } from './secrets.ts';
import type { Undelivered } from './undelivered.ts';

/** How the two sides differ, entity by entity. */
export interface Differences {
  readonly operations: readonly Operation[];
  readonly unchanged: number;
  /** Live entities that the target state does not have and that are nevertheless kept, with their normal forms. */
  readonly unpruned: readonly Unpruned[];
  /** Target entities that name what is not known here, so that they cannot be written. */
  readonly unwritable: readonly Undelivered[];
  /** Fields that were not compared, as `kind/field`, sorted. */
  readonly unread: readonly string[];
}

/** A live entity that is kept though the target state does not have it, its normal form, and why. */
export interface Unpruned {
  readonly entity: Entity;
  readonly normal: JsonObject;
  readonly why: 'prune is off' | 'it is protected' | 'others may change it';
}

/** Compares every entity of both sides. Nothing is ordered yet, but the result is the same for any order of input. */
export function differences(
  matching: Matching,
  schemas: Schemas,
  secrets: Secrets,
  whyKept: (entity: Entity) => Unpruned['why'] | null,
): Differences {
  const operations: Operation[] = [];
  const unwritable: Undelivered[] = [];
  const named = new Set<string>();
  const unread = new Set<string>();
  let unchanged = 0;
  const compared = new Comparer(matching, schemas, secrets, unread);
  for (const target of allEntities(matching.target)) {
    const reference = matching.unknownReference(target);
    if (reference !== undefined) {
      unwritable.push({ entity: target, obstacle: { is: 'unknown-reference', reference } });
      named.add(`${target.kind} ${reference.kind}`);
      continue;
    }
    const live = matching.liveOf(target);
    const operation = live === undefined ? compared.creation(target) : compared.update(target, live);
    if (operation === null) unchanged += 1;
    else operations.push(operation);
  }
  const unpruned: Unpruned[] = [];
  for (const entity of allEntities(matching.live)) {
    if (matching.targetOf(entity) !== undefined || mayBeNamed(entity, named, matching)) continue;
    const operation = compared.deletion(entity);
    const why = whyKept(entity);
    if (why === null) operations.push(operation);
    else unpruned.push({ entity, normal: operation.normalLive, why });
  }
  return { operations, unchanged, unpruned, unwritable, unread: [...unread].sort() };
}

/** Whether a live entity may be one that the target state has, but could not be matched because it names an unknown. */
function mayBeNamed(entity: Entity, named: ReadonlySet<string>, { live }: Matching): boolean {
  return entity.references.some(
    ({ kind, id }) => named.has(`${entity.kind} ${kind}`) && (id === null || live.byId(kind, id) === undefined),
  );
}

class Comparer {
  readonly #matching: Matching;
  readonly #schemas: Schemas;
  readonly #secrets: Secrets;
  readonly #unread: Set<string>;

  constructor(matching: Matching, schemas: Schemas, secrets: Secrets, unread: Set<string>) {
    this.#matching = matching;
    this.#schemas = schemas;
    this.#secrets = secrets;
    this.#unread = unread;
  }

  creation(target: Entity): Operation {
    const schema = entitySchema(this.#schemas, target.kind, target.fields);
    // Defaults are left out of what is shown: only what was written is news.
    const written = writtenFields(target);
    const fields = fieldChanges({}, written, this.#comparison(target, undefined, schema));
    return {
      action: 'create',
      entity: target,
      target,
      live: null,
      normalTarget: normalFields(target, this.#schemas),
      normalLive: null,
      fields: [...fields, ...this.#references(undefined, target)],
    };
  }

  update(target: Entity, live: Entity): Operation | null {
    const schema = entitySchema(this.#schemas, target.kind, target.fields);
    const consumer = referenceOf(live, 'consumer')?.id ?? null;
    const normal = align(target, normalFields(live, this.#schemas), normalFields(target, this.#schemas), consumer);
    for (const field of normal.unread) this.#unread.add(`${target.kind}/${field}`);
    const aligned = comparableLinks(normal, target, this.#matching);
    const fields = [
      ...fieldChanges(aligned.live, aligned.target, this.#comparison(target, live, schema)),
      ...this.#references(live, target),
    ];
    if (fields.length === 0) return null;
    return {
      action: 'update',
      entity: target,
      target,
      live,
      normalTarget: aligned.target,
      normalLive: aligned.live,
      fields,
    };
  }

  deletion(live: Entity): Operation & { readonly action: 'delete' } {
    const normalLive = normalFields(live, this.#schemas);
    return { action: 'delete', entity: live, target: null, live, normalTarget: null, normalLive, fields: [] };
  }

  #comparison(target: Entity, live: Entity | undefined, schema: RecordSchema | undefined): Comparison {
    const plugin = target.kind === 'plugins' ? String(target.fields['name']) : '';
    return { kind: target.kind, schema, secrets: this.#secrets, own: ownSecrets(target, live), plugin };
  }

  /** Foreign keys compare by the ids that the destination knows, and are shown by name. */
  #references(live: Entity | undefined, target: Entity): readonly FieldChange[] {
    return kinds[target.kind].foreign.flatMap((key): readonly FieldChange[] => {
      const before = (live?.references ?? [])
        .filter((reference) => reference.field === key.field)
        .map((reference) => ({ id: reference.id ?? reference.identity, name: this.#liveName(reference) }));
      const after = target.references
        .filter((reference) => reference.field === key.field)
        .map((reference) => ({
          id: this.#matching.idOfReference(reference) ?? reference.identity,
          name: this.#targetName(reference),
        }));
      const left = before.filter((item) => !after.some((other) => other.id === item.id)).sort(byId);
      const came = after.filter((item) => !before.some((other) => other.id === item.id)).sort(byId);
      return Array.from({ length: Math.max(left.length, came.length) }, (_, at): FieldChange => {
        const [old, fresh] = [left[at], came[at]];
        return {
          path: key.list ? `/${key.field}/${at}` : `/${key.field}`,
          ...(old === undefined ? {} : { from: old.name }),
          ...(fresh === undefined ? {} : { to: fresh.name }),
        };
      });
    });
  }

  #liveName(reference: Reference): Json {
    const to = reference.id === null ? undefined : this.#matching.live.byId(reference.kind, reference.id);
    return this.#secrets.inLiveName(to?.name ?? reference.id ?? reference.identity);
  }

  #targetName(reference: Reference): Json {
    const to = this.#matching.referent(reference);
    return this.#secrets.inName(to?.name ?? reference.id ?? reference.identity);
  }
}

function byId(a: { readonly id: string }, b: { readonly id: string }): number {
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
