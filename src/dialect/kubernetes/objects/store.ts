import { byAge, type KubeObject, objectKey } from './kube-object.ts';

/** The objects of one reading, to be looked up. */
export class ObjectStore {
  readonly #byKey = new Map<string, KubeObject>();
  readonly #byKind = new Map<string, KubeObject[]>();

  constructor(objects: readonly KubeObject[]) {
    for (const object of objects) {
      this.#byKey.set(objectKey(object), object);
      const list = this.#byKind.get(object.kind);
      if (list === undefined) this.#byKind.set(object.kind, [object]);
      else list.push(object);
    }
    for (const list of this.#byKind.values()) list.sort(byAge);
  }

  get(kind: string, namespace: string, name: string): KubeObject | undefined {
    return this.#byKey.get(objectKey({ kind, namespace, name }));
  }

  /** The objects of a kind: the older first, then by namespace and name. */
  list(kind: string): readonly KubeObject[] {
    return this.#byKind.get(kind) ?? [];
  }

  get all(): readonly KubeObject[] {
    return [...this.#byKey.values()];
  }
}
