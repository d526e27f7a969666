/** A place in a tree of mappings and lists. */
export type KeyPath = readonly (string | number)[];

/** A mapping as YAML gives it. */
export interface Mapping {
  readonly [key: string]: unknown;
}

/** Whether a value is a mapping. */
export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, or undefined where there is none. Inherited properties are not seen. */
export function valueAt(tree: unknown, path: KeyPath): unknown {
  let value = tree;
  for (const key of path) {
    if (Array.isArray(value)) value = typeof key === 'number' ? value[key] : undefined;
    else if (isMapping(value) && Object.hasOwn(value, key)) value = value[String(key)];
    else return undefined;
  }
  return value;
}

/** A path for people, destinations by name where they have one: `destinations.edge.kong.nodes[0]`. */
export function keyText(path: KeyPath, tree: unknown): string {
  let text = '';
  path.forEach((key, index) => {
    if (typeof key === 'string') {
      text += text === '' ? key : `.${key}`;
      return;
    }
    const name = index === 1 && path[0] === 'destinations' ? valueAt(tree, ['destinations', key, 'name']) : undefined;
    text += typeof name === 'string' && name !== '' ? `.${name}` : `[${key}]`;
  });
  return text;
}
