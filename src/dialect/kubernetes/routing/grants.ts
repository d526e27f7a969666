import type { KubeObject } from '../objects/kube-object.ts';
import type { ObjectStore } from '../objects/store.ts';
import { objectsAt, textAt } from '../objects/values.ts';

/** What a reference into another namespace names. */
export interface GrantTarget {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The ReferenceGrants, by which a namespace lets objects of others refer to its own. */
export class Grants {
  readonly #store: ObjectStore;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Whether an object may refer to something: in its own namespace always, in another one where a grant says so. */
  allows(from: KubeObject, to: GrantTarget): boolean {
    return from.namespace === to.namespace || this.covering(from, to).length > 0;
  }

  /** The grants that let an object refer to something of another namespace. */
  covering(from: KubeObject, to: GrantTarget): readonly KubeObject[] {
    return this.#store
      .list('ReferenceGrant')
      .filter((grant) => grant.namespace === to.namespace && permits(grant, from, to));
  }
}

function permits({ value }: KubeObject, from: KubeObject, to: GrantTarget): boolean {
  const isFrom = objectsAt(value, 'spec', 'from').some(
    ({ item }) =>
      textAt(item, 'group') === from.group &&
      textAt(item, 'kind') === from.kind &&
      textAt(item, 'namespace') === from.namespace,
  );
  return (
    isFrom &&
    objectsAt(value, 'spec', 'to').some(({ item }) => {
      const name = textAt(item, 'name');
      const isKind = textAt(item, 'group') === to.group && textAt(item, 'kind') === to.kind;
      return isKind && (name === null || name === '' || name === to.name);
    })
  );
}
