import type { Diagnostic } from '../model/diagnostic.ts';
import type { Entity } from '../model/entity.ts';
import type { Location } from '../model/location.ts';
import { allEntities, type State } from '../model/state.ts';
import { environmentMask } from '../rules/mask.ts';
import type { Blame, UnreadableFile } from './quarantine.ts';

/** Whom the errors of a revision are about. */
export interface Blames {
  readonly broken: readonly Blame[];
  /** Files of which something is wrong that belongs to no entity: what they declare is not known. */
  readonly unreadable: readonly UnreadableFile[];
  /** An error that is about neither an entity nor a file; null where there is none. */
  readonly stray: string | null;
}

/**
 * Finds the entities that errors are about: by their names, else by the place, where the innermost entity round it is
 * meant (what was lost of an entity is a part of what holds it); else the file as a whole, or the part of it that
 * `partOf` knows the finding to be about.
 */
export function blamesOf(
  state: State,
  diagnostics: readonly Diagnostic[],
  partOf: (diagnostic: Diagnostic) => UnreadableFile['covers'] = () => undefined,
): Blames {
  const named = byShownName(state);
  const places = placesByFile(state);
  const written: Blame[] = [];
  const broken: Blame[] = [];
  const unreadable = new Map<string, string>();
  let stray: string | null = null;
  const parts: UnreadableFile[] = [];
  for (const diagnostic of diagnostics) {
    const { rule, severity, message, entities, locations } = diagnostic;
    if (severity !== 'error') continue;
    const covers = entities.length > 0 ? undefined : partOf(diagnostic);
    if (covers !== undefined) {
      parts.push({ file: locations[0]?.file ?? '', why: message, covers });
      continue;
    }
    const found = entities.flatMap(({ kind, name }) => named.get(`${kind}\n${name}`) ?? []);
    const [place] = locations;
    const round = found.length > 0 ? found : place === undefined ? [] : entitiesRound(place, places);
    const list = rule.startsWith('kubernetes-') ? written : broken;
    if (round.length > 0) list.push({ why: message, entities: [...new Set(round)], ofName: rule === 'unknown-plugin' });
    else if (place === undefined) stray ??= message;
    else if (!unreadable.has(place.file)) unreadable.set(place.file, message);
  }
  // What is wrong with an object as it is written is the cause of what is wrong with what is made of it.
  const all = [...written, ...broken];
  return { broken: all, unreadable: [...[...unreadable].map(([file, why]) => ({ file, why })), ...parts], stray };
}

/** Entities by the names that diagnostics give them. */
function byShownName(state: State): ReadonlyMap<string, readonly Entity[]> {
  const mask = environmentMask(state);
  const named = new Map<string, Entity[]>();
  for (const entity of allEntities(state)) {
    const key = `${entity.kind}\n${mask(entity.name)}`;
    const list = named.get(key);
    if (list === undefined) named.set(key, [entity]);
    else list.push(entity);
  }
  return named;
}

type Places = ReadonlyMap<string, readonly { readonly pointer: string; readonly entity: Entity }[]>;

function placesByFile(state: State): Places {
  const places = new Map<string, { readonly pointer: string; readonly entity: Entity }[]>();
  for (const entity of allEntities(state)) {
    const place = entity.source?.at([]);
    if (place === undefined || place.pointer === null || place.pointer === '') continue;
    const one = { pointer: place.pointer, entity };
    const list = places.get(place.file);
    if (list === undefined) places.set(place.file, [one]);
    else list.push(one);
  }
  return places;
}

/** Of several documents in one file, all that could be meant: too many are better than too few. */
function entitiesRound({ file, pointer }: Location, places: Places): readonly Entity[] {
  if (pointer === null) return [];
  let depth = 0;
  let found: Entity[] = [];
  for (const place of places.get(file) ?? []) {
    if (pointer !== place.pointer && !pointer.startsWith(`${place.pointer}/`)) continue;
    if (place.pointer.length > depth) [depth, found] = [place.pointer.length, []];
    if (place.pointer.length === depth) found.push(place.entity);
  }
  return found;
}
