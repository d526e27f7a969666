import type { Document } from '../../../manifest/document.ts';
import {
  fromPointer,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonPath,
  ownValue,
  setOwn,
  toPointer,
} from '../../../model/json.ts';
import type { Location } from '../../../model/location.ts';

/** A place of another document that a value came from. */
interface Origin {
  readonly document: Document;
  readonly path: JsonPath;
}

/** What patches brought, by the steps of its path; `origin` is where this very value came from. */
interface Branch {
  origin: Origin | null;
  readonly below: Map<string, Branch>;
}

type Container = Json[] | { [key: string]: Json };

/** A document that patches are made in. What a patch brought has its place in the patch file. */
export class PatchedDocument implements Document {
  readonly file: string;
  readonly index: number;
  readonly #base: Document;
  readonly #brought: Branch = { origin: null, below: new Map() };
  /** The copies that are this document's own: whatever else is in the value others may share. */
  readonly #own = new WeakSet<object>();
  #value: Json;
  #fromEnvironment: ReadonlyMap<string, string> | null = null;
  #texts: ReadonlyMap<string, string> | null = null;

  constructor(base: Document) {
    this.file = base.file;
    this.index = base.index;
    this.#base = base;
    this.#value = base.value;
  }

  get value(): Json {
    return this.#value;
  }

  get fromEnvironment(): ReadonlyMap<string, string> {
    this.#fromEnvironment ??= this.#moved((document) => document.fromEnvironment);
    return this.#fromEnvironment;
  }

  get environmentTexts(): ReadonlyMap<string, string> {
    this.#texts ??= this.#moved((document) => document.environmentTexts ?? new Map<string, string>());
    return this.#texts;
  }

  /** Sets a value at a path, whose parent has to be there. */
  set(path: JsonPath, value: Json, origin: Origin): void {
    const [parent, last] = this.#parentOf(path);
    if (isJsonArray(parent)) parent[Number(last)] = value;
    else if (isJsonObject(parent) && last !== undefined) setOwn(parent, String(last), value);
    let branch = this.#brought;
    for (const step of path) {
      const next = branch.below.get(String(step)) ?? { origin: null, below: new Map<string, Branch>() };
      branch.below.set(String(step), next);
      branch = next;
    }
    branch.origin = origin;
    branch.below.clear();
    this.#forget();
  }

  /** Takes out the member at a path. */
  remove(path: JsonPath): void {
    const [parent, last] = this.#parentOf(path);
    if (isJsonObject(parent) && last !== undefined) Reflect.deleteProperty(parent, last);
    const above = path
      .slice(0, -1)
      .reduce<Branch | undefined>((at, step) => at?.below.get(String(step)), this.#brought);
    above?.below.delete(String(last));
    this.#forget();
  }

  at(path: JsonPath, part?: 'value' | 'key'): Location {
    const found = this.#originOf(path);
    if (found === null) return this.#base.at(path, part);
    const { origin, depth } = found;
    return origin.document.at([...origin.path, ...path.slice(depth)], part);
  }

  #forget(): void {
    this.#fromEnvironment = null;
    this.#texts = null;
  }

  /** Where the value at a path, or the nearest around it that a patch brought, came from. */
  #originOf(path: JsonPath): { readonly origin: Origin; readonly depth: number } | null {
    let found: { readonly origin: Origin; readonly depth: number } | null = null;
    let branch: Branch | undefined = this.#brought;
    for (const [index, step] of path.entries()) {
      branch = branch.below.get(String(step));
      if (branch === undefined) break;
      if (branch.origin !== null) found = { origin: branch.origin, depth: index + 1 };
    }
    return found;
  }

  /** The container of a path, its own all the way to it, and the last step. */
  #parentOf(path: JsonPath): readonly [Container | null, string | number | undefined] {
    let current = this.#owned(this.#value);
    if (current === null) return [null, undefined];
    this.#value = current;
    for (const step of path.slice(0, -1)) {
      const next: Container | null = this.#owned(
        isArray(current) ? current[Number(step)] : ownValue(current, String(step)),
      );
      if (next === null) return [null, undefined];
      if (isArray(current)) current[Number(step)] = next;
      else setOwn(current, String(step), next);
      current = next;
    }
    return [current, path.at(-1)];
  }

  #owned(value: Json | undefined): Container | null {
    if (!isJsonArray(value) && !isJsonObject(value)) return null;
    if (this.#own.has(value)) return value as Container;
    const copy: Container = isJsonArray(value) ? [...value] : { ...value };
    this.#own.add(copy);
    return copy;
  }

  /** What documents say by pointer, at the pointers that it has here. */
  #moved(of: (document: Document) => ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const all = new Map<string, string>();
    for (const [pointer, text] of of(this.#base)) {
      if (this.#originOf(fromPointer(pointer)) === null) all.set(pointer, text);
    }
    const visit = (branch: Branch, here: string): void => {
      for (const [step, next] of branch.below) {
        const pointer = `${here}${toPointer([step])}`;
        if (next.origin !== null) this.#addMoved(next.origin, pointer, of, all);
        visit(next, pointer);
      }
    };
    visit(this.#brought, '');
    return all;
  }

  #addMoved(
    { document, path }: Origin,
    here: string,
    of: (document: Document) => ReadonlyMap<string, string>,
    all: Map<string, string>,
  ): void {
    const there = toPointer(path);
    for (const [pointer, text] of of(document)) {
      const isBelow = pointer === there || pointer.startsWith(`${there}/`);
      if (!isBelow) continue;
      const moved = `${here}${pointer.slice(there.length)}`;
      // What a later patch brought in its place says for itself.
      if (this.#originOf(fromPointer(moved))?.depth === fromPointer(here).length) all.set(moved, text);
    }
  }
}

function isArray(container: Container): container is Json[] {
  return isJsonArray(container);
}
