import type { Document } from '../../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath, toPointer } from '../../../model/json.ts';
import type { Location } from '../../../model/location.ts';

/** A place of another document that a value came from. */
interface Origin {
  readonly document: Document;
  readonly path: JsonPath;
}

/** A document with values of patch files in it. What a patch brought has its place in the patch file. */
export class PatchedDocument implements Document {
  readonly file: string;
  readonly index: number;
  readonly value: Json;
  readonly #base: Document;
  /** By the JSON pointers of what patches brought. */
  readonly #origins: ReadonlyMap<string, Origin>;
  #fromEnvironment: ReadonlyMap<string, string> | null = null;
  #texts: ReadonlyMap<string, string> | null = null;

  private constructor(base: Document, value: Json, origins: ReadonlyMap<string, Origin>) {
    this.file = base.file;
    this.index = base.index;
    this.value = value;
    this.#base = base;
    this.#origins = origins;
  }

  /** The document with a value set at a path; the parent has to be there. */
  static withValue(document: Document, path: JsonPath, value: Json, origin: Origin): PatchedDocument {
    return PatchedDocument.#changed(document, path, value, origin);
  }

  /** The document without the member at a path. */
  static without(document: Document, path: JsonPath): PatchedDocument {
    return PatchedDocument.#changed(document, path, undefined, null);
  }

  static #changed(document: Document, path: JsonPath, value: Json | undefined, origin: Origin | null): PatchedDocument {
    const known = document instanceof PatchedDocument ? document.#origins : new Map<string, Origin>();
    const base = document instanceof PatchedDocument ? document.#base : document;
    const pointer = toPointer(path);
    const origins = new Map([...known].filter(([at]) => at !== pointer && !at.startsWith(`${pointer}/`)));
    if (origin !== null) origins.set(pointer, origin);
    return new PatchedDocument(base, changed(document.value, path, value), origins);
  }

  at(path: JsonPath, part?: 'value' | 'key'): Location {
    for (let length = path.length; length > 0; length -= 1) {
      const origin = this.#origins.get(toPointer(path.slice(0, length)));
      if (origin === undefined) continue;
      return origin.document.at(
        [...origin.path, ...path.slice(length)],
        length === path.length ? part : (part ?? 'value'),
      );
    }
    return this.#base.at(path, part);
  }

  get fromEnvironment(): ReadonlyMap<string, string> {
    this.#fromEnvironment ??= this.#moved((document) => document.fromEnvironment);
    return this.#fromEnvironment;
  }

  get environmentTexts(): ReadonlyMap<string, string> {
    this.#texts ??= this.#moved((document) => document.environmentTexts ?? new Map<string, string>());
    return this.#texts;
  }

  /** What documents say by pointer, at the pointers that it has here. */
  #moved(of: (document: Document) => ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const all = new Map<string, string>();
    const isReplaced = (pointer: string) =>
      [...this.#origins.keys()].some((at) => pointer === at || pointer.startsWith(`${at}/`));
    for (const [pointer, text] of of(this.#base)) if (!isReplaced(pointer)) all.set(pointer, text);
    for (const [here, { document, path }] of this.#origins) {
      const there = toPointer(path);
      for (const [pointer, text] of of(document)) {
        if (pointer === there || pointer.startsWith(`${there}/`))
          all.set(`${here}${pointer.slice(there.length)}`, text);
      }
    }
    return all;
  }
}

/** A value with another one (or none) at a path. */
function changed(value: Json, path: JsonPath, put: Json | undefined): Json {
  const [step, ...rest] = path;
  if (step === undefined) return put ?? null;
  if (isJsonArray(value)) {
    const items = [...value];
    const index = Number(step);
    items[index] = changed(items[index] ?? null, rest, put);
    return items;
  }
  if (!isJsonObject(value)) return value;
  if (rest.length === 0 && put === undefined) {
    const { [step]: _, ...others } = value;
    return others;
  }
  return { ...value, [step]: changed(value[step] ?? null, rest, put) };
}
