import type { RawEntity, RawReference, RawTarget } from '../../model/assemble.ts';
import { isJsonObject, type Json, jsonEqual } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import type { Location } from '../../model/location.ts';
import type { EntityReader, Membership } from './entity-reader.ts';
import type { Findings } from './findings.ts';
import { LayeredSource } from './layered-source.ts';
import { broughtAt, readTarget } from './references.ts';

/** The fields by which a consumer is known. */
const names = ['username', 'custom_id'] as const;

/**
 * Turns the lists of group members, from either side, into memberships. A group's list may declare its consumers: one
 * that stands elsewhere as well is the same consumer and kept once, and must not say other things there.
 * `consumersAreLookedUp`: a consumer that a group only names belongs to others where nothing declares it.
 */
export function readMemberships(reader: EntityReader, consumersAreLookedUp: boolean, findings: Findings): void {
  const known = new ConsumerIndex();
  for (const entity of reader.entities) if (entity.kind === 'consumers') known.add(entity);
  // The fullest copy of a consumer first, so that it does not matter which of several groups comes first.
  const ordered = [...reader.memberships].sort((a, b) => keyCount(b.value) - keyCount(a.value));
  const made = new Map<Membership, RawEntity>();
  for (const membership of ordered) {
    const target =
      membership.of.kind === 'consumers'
        ? targetOf(membership, 'consumer_groups', findings)
        : memberOf(membership, reader, known, consumersAreLookedUp, findings);
    if (target !== null) made.set(membership, membershipEntity(membership, target, findings));
  }
  for (const membership of reader.memberships) {
    const entity = made.get(membership);
    if (entity !== undefined) reader.entities.push(entity);
  }
}

function targetOf({ document, path, value }: Membership, kind: KindName, findings: Findings): RawTarget | null {
  return readTarget(document, path, kind, value, findings);
}

function memberOf(
  membership: Membership,
  reader: EntityReader,
  known: ConsumerIndex,
  consumersAreLookedUp: boolean,
  findings: Findings,
): RawTarget | null {
  const { document, path, value } = membership;
  if (!isJsonObject(value)) return targetOf(membership, 'consumers', findings);
  const draft = reader.draft(document, path, 'consumers', value, null);
  if (draft === null) return null;
  const { entity } = draft;
  const other = known.find(entity);
  if (other !== undefined) {
    compareCopies(entity, other, findings);
    reader.children(document, path, draft.value, other);
    return { entity: other };
  }
  const onlyNamed = Object.keys(value).every((key) => key === 'id' || names.some((name) => name === key));
  if (onlyNamed && (consumersAreLookedUp || nameOf(entity) === null)) {
    if (entity.id !== null) return { id: entity.id };
    const name = nameOf(entity);
    return name === null ? targetOf(membership, 'consumers', findings) : { name };
  }
  reader.entities.push(entity);
  known.add(entity);
  reader.children(document, path, draft.value, entity);
  return { entity };
}

/** Reports what a group's copy of a consumer says that the consumer's own entry does not. */
function compareCopies(copy: RawEntity, other: RawEntity, findings: Findings): void {
  for (const [field, value] of Object.entries(copy.fields)) {
    const there = other.fields[field];
    if (jsonEqual(value, there) || (there === undefined && names.some((name) => name === field))) continue;
    report(field, copy, other, findings);
  }
  if (copy.id !== null && other.id !== null && copy.id.toLowerCase() !== other.id.toLowerCase()) {
    report('id', copy, other, findings);
  }
}

function report(field: string, copy: RawEntity, other: RawEntity, findings: Findings): void {
  const message = `The consumer is written twice, and ${JSON.stringify(field)} differs`;
  const locations = [copy, other].map((entity) => entity.source?.at([field])).filter((place) => place !== undefined);
  const hint = 'Say it in one place; in the group, the name of the consumer is enough.';
  findings.error('consumer-copies-differ', message, hint, locations satisfies readonly Location[]);
}

function membershipEntity(membership: Membership, target: RawTarget, findings: Findings): RawEntity {
  const { of, document, path, value } = membership;
  const [own, other] = of.kind === 'consumers' ? ['consumer', 'consumer_group'] : ['consumer_group', 'consumer'];
  const named = isJsonObject(value) ? ['name', ...names, 'id'].find((key) => Object.hasOwn(value, key)) : undefined;
  const place = named === undefined ? path : [...path, named];
  const references: readonly RawReference[] = [
    { field: own, index: null, to: { entity: of } },
    { field: other, index: null, to: target, ...broughtAt(document, path, findings) },
  ];
  return {
    kind: 'consumer_group_consumers',
    id: null,
    fields: {},
    references,
    made: {},
    fromEnvironment: new Map(),
    source: new LayeredSource(
      [
        { document, base: path, under: [] },
        { document, base: place, under: [other] },
      ],
      place,
    ),
  };
}

function nameOf(consumer: RawEntity): string | null {
  for (const field of names) {
    const name = consumer.fields[field];
    if (typeof name === 'string' && name !== '') return name;
  }
  return null;
}

function keyCount(value: Json): number {
  return isJsonObject(value) ? Object.keys(value).length : 0;
}

/** Consumers by each of the ways in which they are known. The first of several is found. */
class ConsumerIndex {
  readonly #known = new Map<string, RawEntity>();

  add(consumer: RawEntity): void {
    for (const key of keysOf(consumer)) if (!this.#known.has(key)) this.#known.set(key, consumer);
  }

  find(consumer: RawEntity): RawEntity | undefined {
    for (const key of keysOf(consumer)) {
      const found = this.#known.get(key);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

function keysOf(consumer: RawEntity): readonly string[] {
  const keys = consumer.id === null ? [] : [`id ${consumer.id.toLowerCase()}`];
  for (const field of names) {
    const name = consumer.fields[field];
    if (typeof name === 'string' && name !== '') keys.push(`${field} ${name}`);
  }
  return keys;
}
