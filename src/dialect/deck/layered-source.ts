import type { Document } from '../../manifest/document.ts';
import {
  fromPointer,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonPath,
  toPointer,
  valueAt,
} from '../../model/json.ts';
import type { Location, Source } from '../../model/location.ts';
import type { EnvironmentIndex } from './environment-index.ts';

/**
 * One place that an entity's fields were written in: what stands in the document at `base` are the fields below
 * `under`. The entity's own mapping has `under: []`; a shared configuration `['config']`; a `url` `['host']`.
 */
export interface Layer {
  readonly document: Document;
  readonly base: JsonPath;
  readonly under: JsonPath;
}

/** The source of an entity that was written in one place or pieced together from several; earlier layers win. */
export class LayeredSource implements Source {
  readonly #layers: readonly [Layer, ...(readonly Layer[])];
  readonly #heading: JsonPath;

  /** `heading` is the path in the first layer's document of what stands for the whole entity: its name, say. */
  constructor(layers: readonly [Layer, ...(readonly Layer[])], heading: JsonPath) {
    this.#layers = layers;
    this.#heading = heading;
  }

  get location(): Location {
    return this.#layers[0].document.at(this.#heading);
  }

  at(path: JsonPath, part?: 'value' | 'key'): Location {
    const layer = this.layerOf(path);
    return layer.document.at([...layer.base, ...path.slice(layer.under.length)], part);
  }

  /** The layer that a field's value was taken from; where none has it, the one that has most of the way to it. */
  layerOf(path: JsonPath): Layer {
    let best: Layer = this.#layers[0];
    let bestDepth = -1;
    for (const layer of this.#layers) {
      if (!layer.under.every((step, index) => step === path[index])) continue;
      const value = valueAt(layer.document.value, layer.base);
      const depth = value === undefined ? -1 : layer.under.length + depthOf(value, path.slice(layer.under.length));
      if (depth <= bestDepth) continue;
      best = layer;
      bestDepth = depth;
    }
    return best;
  }

  /** The texts of values that came from the environment and that YAML read as something else, by their paths. */
  environmentTexts(index: EnvironmentIndex): readonly (readonly [JsonPath, string])[] {
    return this.#layers.flatMap((layer) =>
      index
        .textsBelow(layer.document, toPointer(layer.base))
        .flatMap(([rest, text]): (readonly [JsonPath, string])[] => {
          const path = [...layer.under, ...fromPointer(rest)];
          return path.length > 0 && this.layerOf(path) === layer ? [[path, text]] : [];
        }),
    );
  }

  /** JSON pointers into `fields` of values that came from the environment, with the variable's name. */
  environmentOf(fields: Json, index: EnvironmentIndex): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const layer of this.#layers) {
      for (const [rest, variable] of index.below(layer.document, toPointer(layer.base))) {
        const path = [...layer.under, ...fromPointer(rest)];
        if (path.length === 0 || valueAt(fields, path) === undefined || this.layerOf(path) !== layer) continue;
        found.set(toPointer(path), variable);
      }
    }
    return found;
  }
}

/** How many steps of a path a value has. Null at the end of a path counts: it was written. */
function depthOf(value: Json, path: JsonPath): number {
  let current: Json | undefined = value;
  for (const [depth, step] of path.entries()) {
    if (isJsonArray(current)) current = current[Number(step)];
    else if (isJsonObject(current)) current = Object.hasOwn(current, step) ? current[step] : undefined;
    else current = undefined;
    if (current === undefined) return depth;
  }
  return path.length;
}
