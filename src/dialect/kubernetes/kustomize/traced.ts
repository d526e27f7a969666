import type { Document } from '../../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath, toPointer } from '../../../model/json.ts';
import type { Location } from '../../../model/location.ts';
import { KustomizeProblem } from './problem.ts';

/** Where a value was written. */
export interface Place {
  readonly document: Document;
  readonly path: JsonPath;
}

/** A value of which each part knows where it was written, whatever put it there. Changed in place by what owns it. */
export interface Traced {
  readonly place: Place;
  value: null | boolean | number | string | Traced[] | Map<string, Traced>;
}

/** A mapping among traced values. */
export interface TracedMapping extends Traced {
  value: Map<string, Traced>;
}

/** Counts values as they are made, so that files that multiply each other come to an end. */
export class Budget {
  #left: number;

  /** A budget for so many values. */
  constructor(values: number) {
    this.#left = values;
  }

  /** Takes one value off. Throws a KustomizeProblem when there is none left. */
  spend(place: Place): void {
    this.#left -= 1;
    if (this.#left < 0) throw new KustomizeProblem('What is built here grows too large', 'Build less at once.', place);
  }
}

/** What a document holds at a path. */
export function trace({ document, path }: Place, value: Json, budget: Budget): Traced {
  const place = { document, path };
  budget.spend(place);
  if (isJsonArray(value)) {
    return { place, value: value.map((item, index) => trace({ document, path: [...path, index] }, item, budget)) };
  }
  if (isJsonObject(value)) {
    const entries = Object.entries(value).map(
      ([key, inner]) => [key, trace({ document, path: [...path, key] }, inner, budget)] as const,
    );
    return { place, value: new Map(entries) };
  }
  return { place, value };
}

/** A value of its own with the same places. */
export function copied({ place, value }: Traced, budget: Budget): Traced {
  budget.spend(place);
  if (Array.isArray(value)) return { place, value: value.map((item) => copied(item, budget)) };
  if (value instanceof Map) {
    return { place, value: new Map([...value].map(([key, inner]) => [key, copied(inner, budget)])) };
  }
  return { place, value };
}

/** The value alone. */
export function plain({ value }: Traced): Json {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]));
  return value;
}

/** Whether a value is a mapping. */
export function isMapping(traced: Traced | undefined): traced is TracedMapping {
  return traced?.value instanceof Map;
}

/** The text at a path, or null. */
export function tracedText(traced: Traced, ...path: readonly string[]): string | null {
  let current: Traced | undefined = traced;
  for (const key of path) current = isMapping(current) ? current.value.get(key) : undefined;
  return typeof current?.value === 'string' ? current.value : null;
}

/** The mapping under a key, which is made where there is none. */
export function mappingUnder(parent: TracedMapping, key: string, place: Place): TracedMapping {
  const found = parent.value.get(key);
  if (isMapping(found)) return found;
  const made: TracedMapping = { place, value: new Map() };
  parent.value.set(key, made);
  return made;
}

/** A document that holds a traced value, with the place of each of its parts. */
export function tracedDocument(root: Traced): Document {
  const fromEnvironment = new Map<string, string>();
  const environmentTexts = new Map<string, string>();
  const look = ({ place, value }: Traced, path: JsonPath) => {
    const { document } = place;
    if (document.fromEnvironment.size > 0) {
      const written = toPointer(place.path);
      const variable = document.fromEnvironment.get(written);
      if (variable !== undefined) fromEnvironment.set(toPointer(path), variable);
      const text = document.environmentTexts?.get(written);
      if (text !== undefined) environmentTexts.set(toPointer(path), text);
    }
    if (Array.isArray(value)) for (const [index, item] of value.entries()) look(item, [...path, index]);
    else if (value instanceof Map) for (const [key, inner] of value) look(inner, [...path, key]);
  };
  look(root, []);
  const { file, index } = root.place.document;
  return {
    file,
    index,
    value: plain(root),
    fromEnvironment,
    environmentTexts,
    at: (path, part) => placeAt(root, path, part),
  };
}

function placeAt(root: Traced, path: JsonPath, part: 'value' | 'key' | undefined): Location {
  let current = root;
  for (const [index, step] of path.entries()) {
    const { value, place } = current;
    const next = Array.isArray(value)
      ? value[Number(step)]
      : value instanceof Map
        ? value.get(String(step))
        : undefined;
    if (next === undefined) return place.document.at([...place.path, ...path.slice(index)], part);
    current = next;
  }
  return current.place.document.at(current.place.path, part);
}
