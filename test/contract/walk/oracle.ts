import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../../../src/model/json.ts';
import type { KindName } from '../../../src/model/kind.ts';
import { kinds } from '../../../src/model/kinds.ts';

/** What a server holds, by kind and id, without what it makes itself. */
export type Held = ReadonlyMap<string, { readonly kind: KindName; readonly id: string; readonly fields: JsonObject }>;

/** How one state becomes another with the least requests, worked out from both alone. */
export interface Least {
  readonly writes: number;
  readonly words: string;
}

const nothing: { readonly kind: KindName; readonly id: string; readonly fields: JsonObject } = {
  kind: 'services',
  id: '',
  fields: {},
};

/** A server's entities of one kind, as it listed them. */
export function held(kind: KindName, listed: readonly JsonObject[]): Held {
  const made = new Set(kinds[kind].serverMade);
  return new Map(
    listed.map((entity) => {
      const id = String(entity['id']);
      const fields = Object.fromEntries(Object.entries(entity).filter(([field]) => !made.has(field)));
      return [`${kind}/${id}`, { kind, id, fields }];
    }),
  );
}

/**
 * The least number of writes between two states of a server: one for each entity that comes, changes or goes, none for
 * what goes with what it belongs to, and one more for each entity that has to make
 * way, under another name for a moment, where entities wait for each other's values in a circle. A circle is never broken
 * by letting go of what an entity names: a live route without its service for a moment would serve nobody, and a plugin
 * would be in force everywhere. It may take more writes than if that were allowed.
 */
export function leastWrites(before: Held, after: Held): Least {
  const gone = [...before.keys()].filter((key) => !after.has(key));
  const come = [...after.keys()].filter((key) => !before.has(key));
  const stay = [...before.keys()].filter((key) => after.has(key));
  const changed = stay.filter((key) => text(before.get(key)?.fields) !== text(after.get(key)?.fields));
  const holder = new Map([...before.keys()].flatMap((key) => valuesOf(before, key).map((value) => [value, key])));
  const goesWith = new Map(gone.map((key) => [key, ownerThatGoes(before, after, key)]));
  const stands = (key: string): string => {
    const owner = goesWith.get(key);
    return owner === undefined || owner === null ? key : stands(owner);
  };
  // What is not written by PUT cannot move to another parent: it is taken away there, by itself or with that, and made here.
  const moved = new Set(changed.filter((key) => isMade(key, before, after)));
  const leaves = (key: string): string => {
    if (!moved.has(key)) return key;
    const owner = ownerThatGoes(before, after, key);
    return owner === null ? `${key} away` : stands(owner);
  };
  const nodes = [...new Set([...gone.map(stands), ...come, ...changed, ...changed.map(leaves)])];
  const waits: Waits = new Map(nodes.map((node) => [node, new Map<string, Why>()]));
  const wait = (node: string, other: string, why: Why = 'named'): void => {
    const own = waits.get(node);
    if (own === undefined || node === other || !waits.has(other) || own.get(other) === 'named') return;
    own.set(other, why);
  };
  for (const key of [...come, ...changed]) {
    for (const to of referred(after, key)) if (!before.has(to)) wait(key, to);
  }
  for (const key of changed) {
    wait(key, leaves(key));
    for (const to of referred(before, key)) if (!after.has(to)) wait(stands(to), leaves(key));
  }
  for (const key of gone) {
    // What a server refuses to leave behind goes before what it names.
    for (const to of referred(before, key)) if (!after.has(to)) wait(stands(to), stands(key));
  }
  for (const key of [...come, ...changed]) {
    for (const value of valuesOf(after, key)) {
      const from = holder.get(value);
      if (from !== undefined && from !== key) wait(key, leaves(stands(from)), 'value');
    }
  }
  const extra = leastBreaks(waits);
  return {
    writes: nodes.length + extra,
    words: `${come.length} come, ${changed.length} change, ${gone.length} go (${gone.length - new Set(gone.map(stands)).size} by themselves), ${extra} to break circles: ${nodes.join(' ')}`,
  };
}

/**
 * How many writes more protection may take: a route that comes with a plugin of its own is made closed first, a plugin
 * whose instance name another one takes keeps its place until that is there, and where a plugin moves, the routes that
 * change or go meanwhile are closed.
 */
export function mostForProtection(before: Held, after: Held): number {
  const keys = (kind: KindName, all: Held) => [...all.keys()].filter((key) => key.startsWith(`${kind}/`));
  const isChanged = (key: string) => text(before.get(key)?.fields) !== text(after.get(key)?.fields);
  const written = keys('plugins', after).filter(isChanged);
  const owned = new Set(written.flatMap((key) => referred(after, key)));
  const closed = keys('routes', after).filter((key) => !before.has(key) && owned.has(key));
  const taken = new Set(written.flatMap((key) => valuesOf(after, key)));
  const gone = keys('plugins', before).filter((key) => !after.has(key));
  const lent = gone.filter((key) => valuesOf(before, key).some((value) => taken.has(value)));
  const moves = written.some((key) => before.has(key) && referred(before, key).join() !== referred(after, key).join());
  const passing = moves ? keys('routes', before).filter(isChanged) : [];
  return closed.length + lent.length + passing.length;
}

/** Whether an entity that goes by one id before and after has to be made anew, under another parent. */
function isMade(key: string, before: Held, after: Held): boolean {
  const { kind } = after.get(key) ?? nothing;
  return kinds[kind].admin.verb !== 'put' && referred(before, key).join() !== referred(after, key).join();
}

function text(fields: JsonObject | undefined): string {
  return JSON.stringify(fields, (_, value: Json) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
}

function referred(all: Held, key: string): readonly string[] {
  const { kind, fields } = all.get(key) ?? nothing;
  return kinds[kind].foreign.flatMap(({ field, kind: to }) => {
    const value = fields[field];
    const list = value === undefined || value === null ? [] : isJsonArray(value) ? value : [value];
    return list.map((item) => `${to}/${String(isJsonObject(item) ? item['id'] : item)}`);
  });
}

/** What an entity that goes belongs to, where that goes as well and takes it along. */
function ownerThatGoes(before: Held, after: Held, key: string): string | null {
  const { kind, fields } = before.get(key) ?? nothing;
  for (const foreign of kinds[kind].foreign) {
    if (foreign.onDelete !== 'cascade') continue;
    const value = fields[foreign.field];
    const to = isJsonObject(value) ? `${foreign.kind}/${String(value['id'])}` : '';
    if (before.has(to) && !after.has(to)) return to;
  }
  return null;
}

function valuesOf(all: Held, key: string): readonly string[] {
  const { kind, fields } = all.get(key) ?? nothing;
  return kinds[kind].unique.flatMap((constraint, index) => {
    const parts = constraint.fields.map((field) => fields[field] ?? null);
    const there = constraint.nullsClash ? parts.some((part) => part !== null) : parts.every((part) => part !== null);
    return there ? [`${kind} ${index} ${JSON.stringify(parts)}`] : [];
  });
}

/** Why one write waits for another: it takes a value that the other frees, or what it names has to be there, or let go of. */
type Why = 'value' | 'named';

type Waits = Map<string, Map<string, Why>>;

/** How many of what frees a value have to make way first, at least, so that no circle is left: each costs one more write. */
function leastBreaks(waits: Waits): number {
  for (let most = 0; most <= waits.size; most += 1) if (canDoWith(waits, new Set(), most)) return most;
  throw new Error('a circle of what names each other');
}

/** Whether no circle is left once `most` more make way than do already: one of each circle has to. */
function canDoWith(waits: Waits, makesWay: ReadonlySet<string>, most: number): boolean {
  const circle = circleIn(waits, makesWay);
  if (circle === null) return true;
  if (most === 0) return false;
  return circle.some((giver, at) => {
    const waiting = circle.at(at - 1) ?? '';
    return waits.get(waiting)?.get(giver) === 'value' && canDoWith(waits, new Set([...makesWay, giver]), most - 1);
  });
}

/** Some circle, each member waiting for the one after it, or null. */
function circleIn(waits: Waits, makesWay: ReadonlySet<string>): readonly string[] | null {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): readonly string[] | null => {
    const at = path.indexOf(node);
    if (at >= 0) return path.slice(at);
    if (done.has(node)) return null;
    path.push(node);
    for (const [other, why] of waits.get(node) ?? []) {
      const found = why === 'value' && makesWay.has(other) ? null : visit(other);
      if (found !== null) return found;
    }
    path.pop();
    done.add(node);
    return null;
  };
  for (const node of waits.keys()) {
    const found = visit(node);
    if (found !== null) return found;
  }
  return null;
}
