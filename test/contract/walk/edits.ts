import type { KindName } from '../../../src/model/kind.ts';
import type { Chance } from './random.ts';
import { shapes, type Thing, walked } from './repository.ts';

/** The repository and what is counted on along the way. */
export interface Walk {
  readonly chance: Chance;
  things: Thing[];
  /** For numbers and for values that were never there before. */
  next: number;
}

/** No more of a kind than this, so that a walk stays small and its values meet. */
const mostOfAKind = 6;

type Edit = (walk: Walk) => string | null;

/** Makes one random edit, and says what it was. */
export function edit(walk: Walk): string {
  for (;;) {
    const before = structuredClone(walk.things);
    const said = (walk.chance.pick(edits) ?? create)(walk);
    if (said !== null && isValid(walk.things)) return said;
    walk.things = before;
  }
}

const named = ({ kind, fields, number }: Thing): string =>
  `${kind} ${String(fields['name'] ?? fields['username'] ?? fields['key'] ?? fields['target'] ?? number)}`;

const create: Edit = (walk) => {
  const kind = walk.chance.pick(walked);
  const shape = kind === undefined ? undefined : shapes[kind];
  if (kind === undefined || shape === undefined) return null;
  if (walk.things.filter((thing) => thing.kind === kind).length >= mostOfAKind) return null;
  const at = walk.next++;
  const thing: Thing = {
    number: at,
    kind,
    id: shape.mayHaveId && (kind === 'certificates' || walk.chance.once(2)) ? walk.chance.uuid() : null,
    fields: shape.fresh(at),
    under: {},
  };
  for (const { field, kind: parent, required } of shape.parents) {
    const to = walk.chance.pick(walk.things.filter((other) => other.kind === parent));
    if (required && to === undefined) return null;
    if (to !== undefined && (required || !walk.chance.once(3))) thing.under[field] = to.number;
  }
  if (kind === 'plugins' && Object.keys(thing.under).length > 1) delete thing.under['service'];
  walk.things.push(thing);
  return `creates ${named(thing)}`;
};

const rename: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things);
  const unique = Object.entries(shapes[thing?.kind ?? 'acls']?.unique ?? {});
  const [field, value] = walk.chance.pick(unique) ?? [];
  if (thing === undefined || field === undefined || value === undefined) return null;
  const before = named(thing);
  thing.fields[field] = value(walk.next++);
  return `renames ${before} to ${named(thing)} (${field})`;
};

const swap: Edit = (walk) => {
  const one = walk.chance.pick(walk.things);
  const other = walk.chance.pick(walk.things.filter(({ kind, number }) => kind === one?.kind && number !== one.number));
  const field = walk.chance.pick(Object.keys(shapes[one?.kind ?? 'acls']?.unique ?? {}));
  if (one === undefined || other === undefined || field === undefined) return null;
  const [mine, theirs] = [one.fields[field], other.fields[field]];
  if (mine === theirs) return null;
  for (const [thing, value] of [
    [one, theirs],
    [other, mine],
  ] as const) {
    if (value === undefined) delete thing.fields[field];
    else thing.fields[field] = value;
  }
  return `swaps ${field} of ${named(one)} and ${named(other)}`;
};

const move: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things.filter(({ kind }) => (shapes[kind]?.parents.length ?? 0) > 0));
  const parent = walk.chance.pick(shapes[thing?.kind ?? 'services']?.parents ?? []);
  if (thing === undefined || parent === undefined) return null;
  const to = walk.chance.pick(walk.things.filter(({ kind }) => kind === parent.kind));
  const before = JSON.stringify(thing.under);
  if (thing.kind === 'plugins') thing.under = {};
  if (!parent.required && walk.chance.once(4)) delete thing.under[parent.field];
  else if (to !== undefined) thing.under[parent.field] = to.number;
  return before === JSON.stringify(thing.under) ? null : `moves ${named(thing)} to another ${parent.field}`;
};

const retag: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things.filter(({ kind }) => shapes[kind]?.tags === true));
  if (thing === undefined) return null;
  if (thing.fields['tags'] !== undefined && walk.chance.once(3)) delete thing.fields['tags'];
  else thing.fields['tags'] = [`t${walk.next++}`, 'z', 'a'];
  return `retags ${named(thing)}`;
};

const change: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things);
  const [field, value] = walk.chance.pick(Object.entries(shapes[thing?.kind ?? 'acls']?.plain ?? {})) ?? [];
  if (thing === undefined || field === undefined || value === undefined) return null;
  if (thing.kind === 'certificates') return null;
  if (field !== 'password' && field !== 'secret' && field !== 'paths' && field !== 'host' && walk.chance.once(4)) {
    if (thing.fields[field] === undefined) return null;
    delete thing.fields[field];
    return `puts ${field} of ${named(thing)} back`;
  }
  thing.fields[field] = value(walk.next++);
  return `changes ${field} of ${named(thing)}`;
};

const renew: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things.filter(({ kind }) => kind === 'certificates'));
  if (thing === undefined) return null;
  const { tags } = thing.fields;
  thing.fields = { ...shapes.certificates?.fresh(walk.next++), ...(tags === undefined ? {} : { tags }) };
  return `renews ${named(thing)}`;
};

const remove: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things);
  if (thing === undefined) return null;
  takeAway(walk, thing);
  return `deletes ${named(thing)}`;
};

const handOver: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things);
  const heir = walk.chance.pick(
    walk.things.filter(({ kind, number }) => kind === thing?.kind && number !== thing.number),
  );
  const field = walk.chance.pick(Object.keys(shapes[thing?.kind ?? 'acls']?.unique ?? {}));
  const value = field === undefined ? undefined : thing?.fields[field];
  if (thing === undefined || heir === undefined || field === undefined || value === undefined) return null;
  const said = `deletes ${named(thing)} and gives its ${field} to ${named(heir)}`;
  takeAway(walk, thing);
  heir.fields[field] = value;
  return said;
};

const changeId: Edit = (walk) => {
  const thing = walk.chance.pick(walk.things.filter(({ kind }) => shapes[kind]?.mayHaveId === true));
  if (thing === undefined) return null;
  thing.id = thing.id !== null && thing.kind !== 'certificates' && walk.chance.once(2) ? null : walk.chance.uuid();
  return `gives ${named(thing)} ${thing.id === null ? 'no id' : 'another id'}`;
};

const edits: readonly Edit[] = [create, create, create, rename, swap, swap, move, move, retag, change, change].concat([
  renew,
  remove,
  handOver,
  changeId,
]);

/** Takes a thing away; what can be without it stays, or goes too. */
function takeAway(walk: Walk, thing: Thing): void {
  walk.things = walk.things.filter((other) => other !== thing);
  for (const child of [...walk.things]) {
    for (const { field, required } of shapes[child.kind]?.parents ?? []) {
      if (child.under[field] !== thing.number) continue;
      if (required || child.kind === 'plugins' || walk.chance.once(2)) takeAway(walk, child);
      else delete child.under[field];
    }
  }
}

/** Whether no two things have what only one may have. */
function isValid(things: readonly Thing[]): boolean {
  const taken = new Set<string>();
  const take = (key: string): boolean => {
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  };
  return things.every((thing) => {
    const { kind, fields, under, number } = thing;
    const values = Object.keys(shapes[kind]?.unique ?? {}).flatMap((field) => {
      const value = fields[field];
      if (value === undefined) return [];
      const within = kind === 'targets' ? under['upstream'] : kind === 'keys' && field === 'kid' ? under['set'] : '';
      return [`${kind} ${field} ${String(within ?? '')} ${String(value)}`];
    });
    if (kind === 'plugins') values.push(`plugin ${String(fields['name'])} ${JSON.stringify(under)}`);
    if (kind === 'acls') values.push(`acl ${String(fields['group'])} ${under['consumer']}`);
    return values.every(take) && number >= 0 && (kind !== 'consumers' || fields['username'] !== undefined);
  });
}

/** The kinds of what a walk holds, for a message. */
export function counted(things: readonly Thing[]): ReadonlyMap<KindName, number> {
  const counts = new Map<KindName, number>();
  for (const { kind } of things) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
