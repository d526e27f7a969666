import { fromPointer, type JsonPath, toPointer } from '../../../model/json.ts';
import type { Location, Source } from '../../../model/location.ts';
import { type KubeObject, placeIn } from './kube-object.ts';

/** Where the fields below a path of an entity were written: in an object, from a path of it on. */
export interface FieldPlace {
  readonly field: JsonPath;
  readonly object: KubeObject;
  readonly path: JsonPath;
}

/** The source of an entity that was made of objects; the place with the most of a field's path tells where it is. */
export class ObjectSource implements Source {
  readonly #object: KubeObject;
  readonly #heading: JsonPath;
  readonly #places: readonly FieldPlace[];

  constructor(object: KubeObject, places: readonly FieldPlace[] = [], heading: JsonPath = ['metadata', 'name']) {
    this.#object = object;
    this.#places = places;
    this.#heading = heading;
  }

  /** The object that the entity is made of. */
  get object(): KubeObject {
    return this.#object;
  }

  get location(): Location {
    return placeIn(this.#object, this.#heading);
  }

  at(path: JsonPath, part?: 'value' | 'key'): Location {
    const found = this.#placeOf(path);
    if (found === undefined) return this.location;
    return placeIn(found.object, [...found.path, ...path.slice(found.field.length)], part);
  }

  /** JSON pointers into the entity's fields of values that came from the environment, with the variable's name. */
  fromEnvironment(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const { field, object, path } of this.#places) {
      const written = object.document.fromEnvironment;
      if (written.size === 0) continue;
      const base = toPointer([...object.base, ...path]);
      for (const [pointer, variable] of written) {
        if (pointer.startsWith(`${base}/`)) {
          found.set(toPointer([...field, ...fromPointer(pointer.slice(base.length))]), variable);
        } else if (base === pointer || base.startsWith(`${pointer}/`)) found.set(toPointer(field), variable);
      }
    }
    return found;
  }

  #placeOf(path: JsonPath): FieldPlace | undefined {
    let best: FieldPlace | undefined;
    for (const place of this.#places) {
      if (best !== undefined && place.field.length <= best.field.length) continue;
      if (place.field.every((step, index) => String(step) === String(path[index]))) best = place;
    }
    return best;
  }
}
