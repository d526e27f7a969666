import type { Entity, Reference } from './entity.ts';
import { fromPointer, type JsonObject } from './json.ts';
import { kinds } from './kinds.ts';
import { comesFromEnvironment } from './secret.ts';
import type { State } from './state.ts';

/**
 * A place that entities fill whose identity comes from the environment: their kind, what they belong to, and what of
 * their identity was written. Another value of the variable fills the same one. Null for all other entities.
 */
export type SlotOf = (entity: Entity) => string | null;

/** The slot of each entity of a state that was built from files. */
export function slotsOf(state: State): SlotOf {
  const known = new Map<Entity, string | null>();
  const names = namesByCertificate(state);
  const slotOf = (entity: Entity): string | null => {
    const before = known.get(entity);
    if (before !== undefined) return before;
    known.set(entity, null);
    const slot =
      entity.kind === 'certificates'
        ? certificateSlot(entity, names.get(entity.id) ?? [])
        : slotFor(entity, state, slotOf);
    known.set(entity, slot);
    return slot;
  };
  return slotOf;
}

/**
 * The slots that a live entity may fill, whatever of its identity came from the environment. `nameOf` gives what a live
 * entity is called in the files.
 */
export function slotsFilledBy(entity: Entity, live: State, nameOf: (entity: Entity) => string): readonly string[] {
  if (entity.kind === 'certificates') {
    return [namesByCertificate(live).has(entity.id) ? certificateNames : certificateText];
  }
  let known: readonly Mask[] = [{ isHidden: false, foreign: new Map<string, string>() }];
  for (const reference of entity.references) {
    const to = referent(reference, live);
    const names = to === undefined ? [reference.identity] : [...new Set([reference.identity, nameOf(to)])];
    const slots = to === undefined ? [] : slotsFilledBy(to, live, nameOf);
    known = known.flatMap(({ isHidden, foreign }) => [
      ...names.map((name) => ({ isHidden, foreign: new Map([...foreign, [reference.field, name]]) })),
      ...slots.map((slot) => ({ isHidden: true, foreign: new Map([...foreign, [reference.field, masked(slot)]]) })),
    ]);
    if (known.length > mostMasks) return [];
  }
  const slots = new Set<string>();
  for (const { isHidden, foreign } of known) {
    const to = (field: string) => foreign.get(field) ?? null;
    for (const hidden of subsets(identityFields(entity, to))) {
      if (isHidden || hidden.length > 0) slots.add(slotWith(entity, hidden, to));
    }
  }
  return [...slots];
}

interface Mask {
  readonly isHidden: boolean;
  readonly foreign: ReadonlyMap<string, string>;
}

/** More ways to be known than this belong to nothing that files declare. */
const mostMasks = 64;

const certificateText = 'certificates\ncert';
const certificateNames = 'certificates\nsnis';

/** A certificate goes by the names of its SNIs, and without any by its own text. */
function certificateSlot(entity: Entity, names: readonly Entity[]): string | null {
  if (names.length === 0) return comesFromEnvironment(entity, ['cert']) ? certificateText : null;
  return names.some((sni) => comesFromEnvironment(sni, ['name'])) ? certificateNames : null;
}

function namesByCertificate(state: State): ReadonlyMap<string, readonly Entity[]> {
  const names = new Map<string, Entity[]>();
  for (const sni of state.entities.get('snis') ?? []) {
    const id = sni.references.find(({ field }) => field === 'certificate')?.id ?? null;
    if (id !== null) names.set(id, [...(names.get(id) ?? []), sni]);
  }
  return names;
}

function slotFor(entity: Entity, state: State, slotOf: SlotOf): string | null {
  const slots = new Map<string, string>();
  for (const reference of entity.references) {
    const to = referent(reference, state);
    const slot = to === undefined ? null : slotOf(to);
    if (slot !== null) slots.set(reference.field, masked(slot));
  }
  if (slots.size === 0 && entity.fromEnvironment.size === 0) return null;
  const written = (field: string) => entity.references.find((one) => one.field === field)?.identity ?? null;
  const to = (field: string) => slots.get(field) ?? written(field);
  const isHidden = identityWith(entity, entity.fields, to) !== identityWith(entity, entity.fields, written);
  const fields = new Set([...entity.fromEnvironment.keys()].map((pointer) => String(fromPointer(pointer)[0] ?? '')));
  const hidden = identityFields(entity, to).filter((field) => fields.has(field));
  return isHidden || hidden.length > 0 ? slotWith(entity, hidden, to) : null;
}

/** The fields that an entity is known by. */
function identityFields(entity: Entity, foreign: (field: string) => string | null): readonly string[] {
  const plain = identityWith(entity, entity.fields, foreign);
  return Object.keys(entity.fields)
    .filter((field) => entity.fields[field] !== null)
    .filter((field) => identityWith(entity, { ...entity.fields, [field]: mark }, foreign) !== plain)
    .sort();
}

function slotWith(entity: Entity, hidden: readonly string[], foreign: (field: string) => string | null): string {
  const fields: JsonObject = { ...entity.fields, ...Object.fromEntries(hidden.map((field) => [field, mark])) };
  // Names that are unique in all of a Kong do not hold what they belong to, and two parents are two places all the same.
  const { parent } = kinds[entity.kind];
  const owner = parent === null ? '' : (foreign(parent) ?? '');
  return [entity.kind, hidden.join(' '), owner, identityWith(entity, fields, foreign) ?? ''].join('\n');
}

function identityWith({ kind }: Entity, fields: JsonObject, foreign: (field: string) => string | null): string | null {
  return kinds[kind].identity({ fields, foreign, snis: [] });
}

/** Stands where a value of the environment did; no value that Kong takes has it. */
const mark = '\u0000environment';

function masked(slot: string): string {
  return `${mark}\n${slot}`;
}

function referent({ kind, id, identity }: Reference, state: State): Entity | undefined {
  return id === null ? state.byIdentity(kind, identity) : state.byId(kind, id);
}

/** Every choice out of a few fields; of many, those of one or two. */
function subsets(fields: readonly string[]): readonly (readonly string[])[] {
  if (fields.length <= 5) {
    const choices = [...Array(2 ** fields.length).keys()];
    return choices.map((choice) => fields.filter((_, at) => (choice & (1 << at)) !== 0));
  }
  return [[], ...fields.map((field) => [field]), ...fields.flatMap((a, at) => fields.slice(at + 1).map((b) => [a, b]))];
}
