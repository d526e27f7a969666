import { type Field, fieldFrom, recordFrom } from './json-schema.ts';
import { enrich, markAsLater } from './overlay.ts';
import type { Doc } from './served-facts.ts';

/** Interned fields: each distinct one is kept once, and names others by number. */
interface Store {
  readonly nodes: Doc[];
  /** For each plugin, the number of its record in each version that has it. */
  readonly plugins: { [plugin: string]: { [version: string]: number } };
  readonly versions: string[];
}

/**
 * One store of all plugins of all versions. Equal parts are kept once, which makes twelve versions little larger than
 * one. `served` are the documents of a real gateway of version 3.9: what they say beyond JSON Schema (sets, patterns,
 * checks between fields) is carried over to the same fields of the other versions.
 */
export function buildVersionStore(
  versions: { readonly [version: string]: { readonly [plugin: string]: unknown } },
  served: { readonly [plugin: string]: Doc },
): Store {
  const order = Object.keys(versions).sort((a, b) => minor(a) - minor(b));
  const store: Store = { nodes: [], plugins: {}, versions: order };
  const known = new Map<string, number>();
  const intern = (node: Doc): number => {
    const key = JSON.stringify(node);
    const index = known.get(key) ?? store.nodes.push(node) - 1;
    known.set(key, index);
    return index;
  };
  const names = new Set(order.flatMap((version) => Object.keys(versions[version] ?? {})));
  for (const name of [...names].sort()) {
    const records: [string, Field][] = [];
    for (const version of order) {
      const document = versions[version]?.[name];
      if (document === undefined) continue;
      const record = recordFrom(document as Doc);
      enrich(record, served[name]);
      const before = records.at(-1)?.[1];
      if (before !== undefined) carryShorthands(before, record);
      records.push([version, record]);
    }
    for (let index = records.length - 2; index >= 0; index -= 1) {
      const [record, later] = [records[index]?.[1], records[index + 1]?.[1]];
      if (record !== undefined && later !== undefined) markAsLater(record, later);
    }
    store.plugins[name] = Object.fromEntries(
      records.map(([version, record]) => [version, internField(record, intern)]),
    );
  }
  return store;
}

function minor(version: string): number {
  return Number(version.split('.')[1]);
}

/** Old names stay accepted until the next major version, though later documents no longer list them. */
function carryShorthands(before: Field, record: Field): void {
  for (const shorthand of before.shorthand_fields ?? []) {
    const taken = record.fields?.[shorthand.name] !== undefined;
    if (taken || record.shorthand_fields?.some(({ name }) => name === shorthand.name)) continue;
    if (!shorthand.paths.every((path) => hasPath(record, path))) continue;
    record.shorthand_fields = [...(record.shorthand_fields ?? []), shorthand];
  }
  for (const [name, field] of Object.entries(before.fields ?? {})) {
    const now = record.fields?.[name];
    if (now?.fields !== undefined && field.fields !== undefined) carryShorthands(field, now);
  }
}

function hasPath(record: Field, path: readonly string[]): boolean {
  let current: Field | undefined = record;
  for (const step of path) current = current?.fields?.[step];
  return current !== undefined;
}

function internField(field: Field, intern: (node: Doc) => number): number {
  const { fields, elements, keys, values, shorthand_fields: shorthands, ...rest } = field;
  const node: Doc = { ...rest };
  if (fields !== undefined) {
    node['fields'] = Object.fromEntries(
      Object.entries(fields).map(([name, inner]) => [name, internField(inner, intern)]),
    );
  }
  if (elements !== undefined) node['elements'] = internField(elements, intern);
  if (keys !== undefined) node['keys'] = internField(keys, intern);
  if (values !== undefined) node['values'] = internField(values, intern);
  if (shorthands !== undefined && shorthands.length > 0) {
    node['shorthand_fields'] = shorthands.map(({ schema, ...shorthand }) => ({
      ...shorthand,
      schema: internField(schema, intern),
    }));
  }
  return intern(node);
}

/** The configurations of partials, by type, from an Admin API's OpenAPI document. */
export function partialsFrom(components: Doc): { readonly [type: string]: Field } {
  const found: { [type: string]: Field } = {};
  for (const [name, schema] of Object.entries(components)) {
    const properties = (schema as { properties?: { [name: string]: Doc } }).properties;
    const type = (properties?.['type'] as Doc | undefined)?.['const'];
    if (!name.startsWith('Partial') || typeof type !== 'string' || properties?.['config'] === undefined) continue;
    found[type] = fieldFrom(properties['config'], 'config');
  }
  return found;
}
