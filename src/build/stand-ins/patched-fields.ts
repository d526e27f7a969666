import type { Entity } from '../../model/entity.ts';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  jsonEqual,
  setOwn,
  toPointer,
  valueAt,
} from '../../model/json.ts';

/** What the branch has of an entity: the entity, nothing (it is new), or it is not known what. */
export type BaseSide = Entity | 'absent' | 'unknown';

/**
 * The fields of a live entity, with stand-ins where the proposed one has them: the same one where the branch says the
 * same there, so that nothing differs, and another where it does not, so that something does. Where the branch is not
 * known nothing is said to differ.
 */
export function patchedFields(live: Entity, head: Entity, base: BaseSide): JsonObject {
  if (head.fromEnvironment.size === 0) return live.fields;
  const patched = new Patch(head, base).value(live.fields, head.fields, []);
  return isJsonObject(patched) ? patched : live.fields;
}

class Patch {
  readonly #head: Entity;
  readonly #base: BaseSide;
  /** Every pointer at or above a value from the environment. */
  readonly #above = new Set<string>();

  constructor(head: Entity, base: BaseSide) {
    this.#head = head;
    this.#base = base;
    for (const pointer of head.fromEnvironment.keys()) {
      for (let at = pointer.length; at >= 0; at = pointer.lastIndexOf('/', at - 1)) {
        this.#above.add(pointer.slice(0, at));
        if (at === 0) break;
      }
    }
  }

  value(live: Json | undefined, head: Json, path: JsonPath): Json | undefined {
    const pointer = toPointer(path);
    if (!this.#above.has(pointer)) return live;
    if (this.#head.fromEnvironment.has(pointer)) return this.#standIn(live, head, path);
    if (isJsonArray(head)) return this.#list(isJsonArray(live) ? live : [], head, path);
    return isJsonObject(head) ? this.#object(isJsonObject(live) ? live : {}, head, path) : live;
  }

  #standIn(live: Json | undefined, head: Json, path: JsonPath): Json | undefined {
    if (this.#isSame(head, path)) return head;
    return live === undefined ? undefined : otherThan(head);
  }

  #isSame(head: Json, path: JsonPath): boolean {
    if (this.#base === 'unknown') return true;
    if (this.#base === 'absent') return false;
    const variable = this.#head.fromEnvironment.get(toPointer(path));
    if (this.#isWrittenAt(path, head, variable)) return true;
    // In a list it may have had another place.
    const parent = path.slice(0, -1);
    const list = valueAt(this.#base.fields, parent);
    return isJsonArray(list) && list.some((_, at) => this.#isWrittenAt([...parent, at], head, variable));
  }

  #isWrittenAt(path: JsonPath, value: Json, variable: string | undefined): boolean {
    if (typeof this.#base === 'string') return false;
    return (
      this.#base.fromEnvironment.get(toPointer(path)) === variable && jsonEqual(valueAt(this.#base.fields, path), value)
    );
  }

  #object(live: JsonObject, head: JsonObject, path: JsonPath): Json {
    const result: { [key: string]: Json } = { ...live };
    // A key that came from the environment has another name in what is live.
    const strange = Object.keys(live).filter((key) => !Object.hasOwn(head, key));
    for (const [key, inner] of Object.entries(head)) {
      const at = [...path, key];
      const isKeyHidden = !Object.hasOwn(live, key) && this.#head.fromEnvironment.has(toPointer(at));
      const known = isKeyHidden ? strange.shift() : undefined;
      const before = known === undefined ? live[key] : live[known];
      const patched = this.value(before, inner, at);
      if (patched === undefined) continue;
      if (known !== undefined) delete result[known];
      setOwn(result, key, patched);
    }
    return result;
  }

  #list(live: readonly Json[], head: readonly Json[], path: JsonPath): Json {
    const isPlain = (at: number) => !this.#above.has(toPointer([...path, at]));
    const inStep = live.length === head.length && head.every((item, at) => !isPlain(at) || jsonEqual(item, live[at]));
    if (inStep) return live.map((item, at) => this.value(item, head[at] ?? null, [...path, at]) ?? item);
    const plain = head.filter((_, at) => isPlain(at));
    const hidden = head.flatMap((item, at) =>
      !isPlain(at) && this.#isSame(item, [...path, at]) ? [{ item, at }] : [],
    );
    // What is live and not written in so many words is what the variables hold, in order.
    return live.map((item) => {
      const at = plain.findIndex((other) => jsonEqual(other, item));
      if (at !== -1) {
        plain.splice(at, 1);
        return item;
      }
      const next = hidden.shift();
      return next === undefined ? item : (this.value(item, next.item, [...path, next.at]) ?? item);
    });
  }
}

/** A value of the same sort that is another one. It is never shown. */
function otherThan(value: Json): Json {
  if (typeof value === 'string') return `${value}-before`;
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : 'before';
}
