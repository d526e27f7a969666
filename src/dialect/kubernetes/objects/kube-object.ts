import type { Document } from '../../../manifest/document.ts';
import type { JsonObject, JsonPath } from '../../../model/json.ts';
import type { Location } from '../../../model/location.ts';

/** One object of the Kubernetes API, as it stands in a manifest. */
export interface KubeObject {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Empty for what has none. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** As written (RFC 3339), or empty; texts of that form sort by time. */
  readonly created: string;
  readonly value: JsonObject;
  readonly annotations: ReadonlyMap<string, string>;
  readonly labels: ReadonlyMap<string, string>;
  readonly document: Document;
  /** Where the object stands in its document: empty, or inside of a List. */
  readonly base: JsonPath;
}

/** What tells objects apart: kind, namespace and name (the group goes without saying for the kinds that are read). */
export function objectKey({ kind, namespace, name }: Pick<KubeObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

/** The object for a sentence: `Ingress "shop/front"`. */
export function shownObject({ kind, namespace, name }: Pick<KubeObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${JSON.stringify(namespace === '' ? name : `${namespace}/${name}`)}`;
}

/** The place of a part of an object; of its name where no path is given. */
export function placeIn(object: KubeObject, path: JsonPath = ['metadata', 'name'], part?: 'value' | 'key'): Location {
  return object.document.at([...object.base, ...path], part);
}

/** The order in which a controller would prefer objects: the older, then by namespace and name. */
export function byAge(a: KubeObject, b: KubeObject): number {
  return compare(a.created, b.created) || compare(a.namespace, b.namespace) || compare(a.name, b.name);
}

/** Code-unit order. */
export function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
