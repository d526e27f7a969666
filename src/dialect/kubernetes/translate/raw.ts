import type { RawEntity, RawReference } from '../../../model/assemble.ts';
import type { Json, JsonObject } from '../../../model/json.ts';
import type { KindName } from '../../../model/kind.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { type FieldPlace, ObjectSource } from '../objects/object-source.ts';

/** What an entity is made of besides its kind, its fields and its object. */
export interface RawParts {
  readonly id?: string | null;
  readonly references?: readonly RawReference[];
  readonly places?: readonly FieldPlace[];
  /** Fields (JSON pointers) whose values come from a Secret that is no credential, with what to call it. */
  readonly secret?: ReadonlyMap<string, string>;
}

/** An entity that is made of an object. */
export function rawEntity(kind: KindName, object: KubeObject, fields: JsonObject, parts: RawParts = {}): RawEntity {
  const { id = null, references = [], places = [], secret } = parts;
  const source = new ObjectSource(object, places);
  const written = source.fromEnvironment();
  return {
    kind,
    id,
    fields,
    references: references.map((reference) => withOrigin(reference, written)),
    made: {},
    fromEnvironment: secret === undefined ? written : new Map([...written, ...secret]),
    source,
  };
}

/** A reference that is written in its object, with whether the environment brought it. */
function withOrigin(reference: RawReference, written: ReadonlyMap<string, string>): RawReference {
  const field = `/${reference.field}`;
  const isBrought = [...written.keys()].some((pointer) => pointer === field || pointer.startsWith(`${field}/`));
  return isBrought && !('entity' in reference.to) ? { ...reference, fromEnvironment: true } : reference;
}

/** A reference of an entity to another one of this translation. */
export function refersTo(field: string, entity: RawEntity): RawReference {
  return { field, index: null, to: { entity } };
}

/** The place of the tags of an entity that is made of an object: the annotation, where there is one. */
export function tagsPlace(object: KubeObject): FieldPlace {
  return { field: ['tags'], object, path: ['metadata', 'annotations', 'konghq.com/tags'] };
}

/** Fields with the tags, unless there are none. */
export function tagged(fields: JsonObject, tags: readonly string[] | null): JsonObject {
  return tags === null || tags.length === 0 ? fields : { ...fields, tags: [...tags] satisfies Json };
}
