import { isClusterScoped } from '../dialect/kubernetes/objects/kinds.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Entity } from '../model/entity.ts';
import { kinds } from '../model/kinds.ts';
import { allEntities, type State } from '../model/state.ts';
import { quarantine } from './quarantine.ts';

/** Whether a name in `--quarantine` means a Kubernetes object rather than an entity. */
export function isObjectName(name: string): boolean {
  return isClusterScoped(name.split('/')[0] ?? '') !== undefined;
}

/**
 * What remains of a state when the entities of these names (`KIND/NAME`, the kind as its collection or as one of it is
 * called) are broken and have no last good version. Names of Kubernetes objects are for their dialect.
 */
export function withoutNamed(
  state: State,
  names: readonly string[],
): { readonly state: State; readonly diagnostics: readonly Diagnostic[] } {
  const wanted = names.filter((name) => !isObjectName(name));
  if (wanted.length === 0) return { state, diagnostics: [] };
  const blames = wanted.map((name) => ({
    name,
    why: `taken for broken: ${name}`,
    entities: entitiesNamed(state, name),
  }));
  const missing = blames.filter(({ entities }) => entities.length === 0).map(({ name }) => unknown(name));
  const result = quarantine(
    state,
    blames.filter(({ entities }) => entities.length > 0),
    null,
    () => [],
  );
  if (result.refused === null) return { state: result.state, diagnostics: missing };
  return { state, diagnostics: [...missing, refused(result.refused)] };
}

function entitiesNamed(state: State, name: string): readonly Entity[] {
  const slash = name.indexOf('/');
  const [kind, rest] = [name.slice(0, slash), name.slice(slash + 1)];
  return allEntities(state).filter(
    (entity) =>
      (entity.kind === kind || kinds[entity.kind].singular === kind) &&
      (entity.identity === rest || entity.name === rest || entity.id === rest),
  );
}

function unknown(name: string): Diagnostic {
  return {
    rule: 'quarantine-unknown',
    severity: 'error',
    message: `There is nothing named ${JSON.stringify(name)} to leave out.`,
    hint: 'Name an entity as KIND/NAME, or a Kubernetes object as KIND/NAMESPACE/NAME.',
    locations: [],
    entities: [],
  };
}

function refused(why: string): Diagnostic {
  return {
    rule: 'quarantine-unknown',
    severity: 'error',
    message: `Nothing would go out: ${why}.`,
    hint: 'What protects everything cannot be left out.',
    locations: [],
    entities: [],
  };
}
