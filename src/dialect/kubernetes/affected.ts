import type { Diagnostic } from '../../model/diagnostic.ts';
import { type Entity, entityName } from '../../model/entity.ts';
import { allEntities, type State } from '../../model/state.ts';
import { dependenciesOf } from './dependencies.ts';
import type { KubernetesFindings } from './findings.ts';
import { type KubeObject, objectKey } from './objects/kube-object.ts';
import { ObjectSource } from './objects/object-source.ts';
import { ObjectStore } from './objects/store.ts';
import { withDependants } from './quarantine.ts';
import type { KubernetesSettings } from './settings.ts';

/** What errors in objects come to: the entities that are made of them and of all that depends on them. */
export class Affected {
  readonly #findings: KubernetesFindings;
  readonly #objects: readonly KubeObject[];
  readonly #settings: KubernetesSettings;
  readonly #parts = new Map<Diagnostic, ReadonlySet<KubeObject>>();

  constructor(findings: KubernetesFindings, objects: readonly KubeObject[], settings: KubernetesSettings) {
    this.#findings = findings;
    this.#objects = objects;
    this.#settings = settings;
  }

  /**
   * The findings with the entities that errors among them are about: all that is made of the object that is wrong, and
   * of those that depend on it. A route whose plugin is missing is thereby never served without it.
   */
  diagnostics(state: State): readonly Diagnostic[] {
    const { list } = this.#findings;
    const errors = new Set(list.filter(({ severity }) => severity === 'error'));
    const wrong = new Set([...errors].flatMap((diagnostic) => this.#findings.objectsOf(diagnostic).slice(0, 1)));
    if (wrong.size === 0) return list;
    const reached = withDependants([...wrong], this.#objects, this.#settings);
    const made = entitiesByObject(state);
    const affected = new Map(
      [...reached].map(([object, all]) => [object, [...all].flatMap((one) => made.get(objectKey(one)) ?? [])]),
    );
    return list.map((diagnostic) => {
      const [first] = errors.has(diagnostic) ? this.#findings.objectsOf(diagnostic) : [];
      if (first === undefined) return diagnostic;
      const entities = [...new Set(affected.get(first) ?? [])].map(entityName);
      const named = { ...diagnostic, entities };
      if (entities.length === 0) this.#parts.set(named, reached.get(first) ?? new Set());
      return named;
    });
  }

  /**
   * Whether an entity of another revision is a part of what an error without entities is about: of the object that is
   * wrong, of what depends on it, or of what that depends on. Undefined for a finding that is about no object.
   */
  partOf(diagnostic: Diagnostic): ((entity: Entity) => boolean) | undefined {
    const objects = this.#parts.get(diagnostic);
    if (objects === undefined) return undefined;
    const store = new ObjectStore(this.#objects);
    const keys = new Set<string>();
    for (const object of objects) {
      keys.add(objectKey(object));
      for (const needed of dependenciesOf(object, store, this.#settings)) keys.add(objectKey(needed));
    }
    return ({ source }) => source instanceof ObjectSource && keys.has(objectKey(source.object));
  }
}

function entitiesByObject(state: State): ReadonlyMap<string, readonly Entity[]> {
  const made = new Map<string, Entity[]>();
  for (const entity of allEntities(state)) {
    if (!(entity.source instanceof ObjectSource)) continue;
    const key = objectKey(entity.source.object);
    const list = made.get(key);
    if (list === undefined) made.set(key, [entity]);
    else list.push(entity);
  }
  return made;
}
