/** Any JSON value, never changed in place. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object, never changed in place. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** Steps from the root of a JSON value to a place inside it. */
export type JsonPath = readonly (string | number)[];

/** Whether a value is a JSON object (neither null nor an array). */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a JSON array; narrows readonly arrays, which `Array.isArray` does not. */
export function isJsonArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** The path as a JSON pointer (RFC 6901); the root is the empty string. */
export function toPointer(path: JsonPath): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The steps of a JSON pointer, each as text. */
export function fromPointer(pointer: string): readonly string[] {
  if (pointer === '') return [];
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/**
 * Sets a property of an object's own, `__proto__` too, which assignment would take for the object's prototype. Objects
 * with keys from outside are built with this (or with a spread or `Object.fromEntries`, which do the same).
 */
export function setOwn<Value>(object: { [key: string]: Value }, key: string, value: Value): void {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
  } else object[key] = value;
}

/** The property of an object's own, or undefined: what every object inherits is no property of JSON. */
export function ownValue<Value>(object: { readonly [key: string]: Value }, key: string): Value | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The value at a path, or undefined where the path leaves the value. */
export function valueAt(value: Json | undefined, path: JsonPath): Json | undefined {
  let current = value;
  for (const step of path) {
    if (isJsonArray(current)) current = current[Number(step)];
    else if (isJsonObject(current)) current = Object.hasOwn(current, step) ? current[step] : undefined;
    else return undefined;
  }
  return current;
}

/**
 * JSON text with the keys of every object in code-unit order and no white space: equal values give equal bytes.
 * Numbers print as ECMAScript does (as RFC 8785 asks).
 */
export function canonicalJson(value: Json): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const inner = value[key];
    if (inner !== undefined) parts.push(`${JSON.stringify(key)}:${canonicalJson(inner)}`);
  }
  return `{${parts.join(',')}}`;
}

/** Whether two JSON values are equal, the order of an object's keys aside. */
export function jsonEqual(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isJsonArray(a)) {
    return isJsonArray(b) && a.length === b.length && a.every((item, index) => jsonEqual(item, b[index]));
  }
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key]));
}
