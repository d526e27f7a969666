import type { Diagnostic } from '../../model/diagnostic.ts';
import { type Entity, entityName } from '../../model/entity.ts';
import { allEntities, type State } from '../../model/state.ts';
import type { KubernetesFindings } from './findings.ts';
import { type KubeObject, objectKey } from './objects/kube-object.ts';
import { ObjectSource } from './objects/object-source.ts';
import { withDependants } from './quarantine.ts';
import type { KubernetesSettings } from './settings.ts';

/**
 * The findings with the entities that errors among them are about: all that is made of the objects that are wrong, and
 * of those that depend on them. A route whose plugin is missing is thereby never served without it.
 */
export function withAffected(
  findings: KubernetesFindings,
  state: State,
  objects: readonly KubeObject[],
  settings: KubernetesSettings,
): readonly Diagnostic[] {
  const errors = new Set(findings.list.filter(({ severity }) => severity === 'error'));
  const wrong = new Set([...errors].flatMap((diagnostic) => findings.objectsOf(diagnostic)));
  if (wrong.size === 0) return findings.list;
  const reached = withDependants([...wrong], objects, settings);
  const made = entitiesByObject(state);
  const affected = new Map(
    [...reached].map(([object, all]) => [object, [...all].flatMap((one) => made.get(objectKey(one)) ?? [])]),
  );
  return findings.list.map((diagnostic) => {
    if (!errors.has(diagnostic)) return diagnostic;
    const [first] = findings.objectsOf(diagnostic);
    const entities = new Set(first === undefined ? [] : (affected.get(first) ?? []));
    return { ...diagnostic, entities: [...entities].map(entityName) };
  });
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
