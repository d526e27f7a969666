import { createHash } from 'node:crypto';
import type { RawEntity, RawReference } from '../../src/model/assemble.ts';
import { derivedId } from '../../src/model/derived-id.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { kinds, kindsInOrder } from '../../src/model/kinds.ts';
import type { State } from '../../src/model/state.ts';
import { normalTarget } from '../../src/model/target-address.ts';
import type { PlannedDelivery, Write } from '../../src/plan/plan.ts';
import { fillEntity } from '../../src/schema/entity.ts';
import { schemas, stateFrom } from './support.ts';

type Row = { readonly [field: string]: Json };

/** Why a store did not take a write, as a server would have answered. */
export class Refusal extends Error {}

/**
 * A store that behaves as Kong with a database was seen to (kong.md): unique constraints, foreign keys, refused and
 * cascading deletes, PUT as a full replacement, certificates that lose the SNIs they do not name, targets that PUT
 * never creates, hashed passwords.
 */
export class Store {
  readonly #rows = new Map<KindName, Map<string, Row>>();
  #writes = 0;

  /** Carries out one write, or throws Refusal. */
  write(write: Write): void {
    this.#writes += 1;
    const { kind, parentId } = write;
    const { admin, parent } = kinds[kind];
    const id = admin.verb === 'membership' ? membershipId(parentId ?? '', write.id) : write.id;
    if (admin.write === 'nested' && parent !== null) {
      const owner = kinds[kind].foreign.find((key) => key.field === parent);
      if (owner !== undefined && (parentId === null || this.#row(owner.kind, parentId) === undefined)) {
        throw new Refusal(`${kind} ${id}: no parent ${parentId}`);
      }
    }
    const known = this.#row(kind, id);
    if (write.body === null) this.#delete(kind, id, parentId);
    else if (admin.verb === 'put') this.#put(kind, id, write.body);
    else if (write.action === 'create') {
      if (known !== undefined) throw new Refusal(`${kind} ${id}: is there already`);
      this.#put(kind, id, write.body);
    } else {
      if (known === undefined || parentOf(kind, known) !== parentId) throw new Refusal(`${kind} ${id}: 404`);
      this.#put(kind, id, { ...known, ...write.body });
    }
  }

  /** Everything in the store, as a complete read gives it. */
  read(): State {
    const entities = kindsInOrder.flatMap(({ name: kind }) =>
      [...(this.#rows.get(kind) ?? [])].map(([id, row]) => this.#answer(kind, id, row)),
    );
    return stateFrom(entities);
  }

  #answer(kind: KindName, id: string, row: Row): RawEntity {
    const fields: { [field: string]: Json } = { ...fillEntity(schemas, kind, row) };
    delete fields['id'];
    for (const key of kinds[kind].foreign) delete fields[key.field];
    for (const field of kinds[kind].serverMade) delete fields[field];
    const snis = [...(this.#rows.get('snis') ?? new Map<string, Row>()).values()]
      .filter((sni) => idIn(sni['certificate']) === id)
      .map((sni) => sni['name'] ?? null);
    return {
      kind,
      id,
      fields,
      references: kinds[kind].foreign.flatMap((key): readonly RawReference[] => {
        const value = row[key.field];
        const values = key.list && isJsonArray(value) ? value : [value];
        return values.flatMap((item, at) => {
          const to = idIn(item);
          return to === null ? [] : [{ field: key.field, index: key.list ? at : null, to: { id: to } }];
        });
      }),
      made: { created_at: row['created_at'] ?? 0, ...(kind === 'certificates' ? { snis: snis.sort() } : {}) },
      fromEnvironment: new Map(),
      source: null,
    };
  }

  #put(kind: KindName, id: string, body: JsonObject): void {
    const known = this.#row(kind, id);
    const row: { [field: string]: Json } = { created_at: 1000 + this.#writes, ...body, id };
    if (kind === 'targets' && typeof row['target'] === 'string') row['target'] = normalTarget(row['target']);
    if (kind === 'basicauth_credentials') {
      row['password'] = sha1(`${String(body['password'])}${idIn(body['consumer'])}`);
    }
    delete row['snis'];
    for (const key of kinds[kind].foreign) {
      const to = idIn(row[key.field]);
      if (key.required && to === null) throw new Refusal(`${kind} ${id}: ${key.field} is required`);
      if (!key.list && to !== null && this.#row(key.kind, to) === undefined) {
        throw new Refusal(`${kind} ${id}: ${key.field} names nothing`);
      }
    }
    this.#checkUnique(kind, id, row);
    this.#table(kind).set(id, row);
    if (kind === 'certificates') this.#setSnis(id, body['snis'], known !== undefined);
  }

  #setSnis(certificate: string, written: Json | undefined, replaced: boolean): void {
    const names = isJsonArray(written) ? written : [];
    for (const [id, sni] of [...this.#table('snis')]) {
      const own = idIn(sni['certificate']) === certificate;
      if (own && replaced && !names.includes(sni['name'] ?? null)) this.#table('snis').delete(id);
      if (!own && names.includes(sni['name'] ?? null)) throw new Refusal(`certificates ${certificate}: SNI is taken`);
    }
    for (const name of names) {
      const there = [...this.#table('snis').values()].some((sni) => sni['name'] === name);
      if (!there) this.#table('snis').set(sha1(String(name)), { name, certificate: { id: certificate } });
    }
  }

  #checkUnique(kind: KindName, id: string, row: Row): void {
    const { unique, foreign } = kinds[kind];
    const constraints = kind === 'ca_certificates' ? [{ fields: ['cert'], nullsClash: false }] : unique;
    for (const { fields, nullsClash } of constraints) {
      const value = (of: Row) =>
        fields.map((field) => (foreign.some((key) => key.field === field) ? idIn(of[field]) : (of[field] ?? null)));
      const own = value(row);
      if (nullsClash ? own.every((part) => part === null) : own.some((part) => part === null)) continue;
      for (const [other, known] of this.#table(kind)) {
        if (other !== id && canonicalJson(value(known)) === canonicalJson(own)) {
          throw new Refusal(`${kind} ${id}: ${fields.join()} is taken by ${other}`);
        }
      }
    }
  }

  #delete(kind: KindName, id: string, parentId: string | null): void {
    const known = this.#row(kind, id);
    if (known === undefined) throw new Refusal(`${kind} ${id}: nothing to delete`);
    if (kinds[kind].admin.write === 'nested' && parentOf(kind, known) !== parentId) {
      throw new Refusal(`${kind} ${id}: belongs to another parent`);
    }
    const holders = [...this.#rows].flatMap(([other, rows]) =>
      kinds[other].foreign
        .filter((key) => key.kind === kind)
        .flatMap((key) =>
          [...rows].flatMap(([holder, row]) => {
            const value = row[key.field];
            const held = (key.list && isJsonArray(value) ? value : [value]).some((item) => idIn(item) === id);
            return held ? [{ kind: other, id: holder, cascade: key.onDelete === 'cascade' }] : [];
          }),
        ),
    );
    const refusing = holders.find((holder) => !holder.cascade);
    if (refusing !== undefined) throw new Refusal(`${kind} ${id}: ${refusing.kind} ${refusing.id} refers to it`);
    this.#table(kind).delete(id);
    for (const holder of holders) {
      const row = this.#row(holder.kind, holder.id);
      if (row !== undefined) this.#delete(holder.kind, holder.id, parentOf(holder.kind, row));
    }
  }

  #row(kind: KindName, id: string): Row | undefined {
    return this.#rows.get(kind)?.get(id);
  }

  #table(kind: KindName): Map<string, Row> {
    const table = this.#rows.get(kind) ?? new Map<string, Row>();
    this.#rows.set(kind, table);
    return table;
  }
}

/** Carries out all writes of a plan in the order that `pick` chooses among those whose turn may come. */
export function deliver(store: Store, { writes }: PlannedDelivery, pick: (count: number) => number = () => 0): void {
  const done = new Set<number>();
  while (done.size < writes.length) {
    const ready = [...writes.entries()].filter(
      ([at, { after }]) => !done.has(at) && after.every((one) => done.has(one)),
    );
    const next = ready[pick(ready.length)];
    if (next === undefined) throw new Error('no write can come next');
    store.write(next[1]);
    done.add(next[0]);
  }
}

function parentOf(kind: KindName, row: Row): string | null {
  const { parent } = kinds[kind];
  return parent === null ? null : idIn(row[parent]);
}

function idIn(value: Json | undefined): string | null {
  if (typeof value === 'string') return value;
  const id = isJsonObject(value) ? value['id'] : undefined;
  return typeof id === 'string' ? id : null;
}

/** Kong has no ids for memberships; whoever reads them derives one. */
function membershipId(group: string, consumer: string): string {
  return derivedId('consumer_group_consumers', `${group}/${consumer}`, null);
}

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
