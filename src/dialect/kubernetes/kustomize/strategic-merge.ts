import { KustomizeProblem } from './problem.ts';
import { type Budget, copied, isMapping, type Traced, type TracedMapping } from './traced.ts';

/** What identifies the items of a list, by kind and path: lists of other resources are replaced as a whole. */
const mergeKeys: { readonly [kindAndPath: string]: readonly string[] } = {
  'Service spec.ports': ['port', 'protocol'],
  'Service status.conditions': ['type'],
};

/** The lists of the workload kinds, which mean nothing to Kong, by the name of the list alone. */
const workloadKeys: { readonly [name: string]: readonly string[] } = {
  containers: ['name'],
  initContainers: ['name'],
  volumes: ['name'],
  env: ['name'],
  volumeMounts: ['mountPath'],
};

/**
 * Puts a strategic merge patch into an object: mappings are merged, null removes, and lists are replaced, except those
 * whose items the API identifies. `$patch` says otherwise. Gives false where the object itself is to be deleted.
 */
export function mergePatch(target: TracedMapping, patch: TracedMapping, kind: string, budget: Budget): boolean {
  return new Merging(kind, budget).mapping(target, patch, []);
}

class Merging {
  readonly #kind: string;
  readonly #budget: Budget;

  constructor(kind: string, budget: Budget) {
    this.#kind = kind;
    this.#budget = budget;
  }

  /** False where the patch deletes the mapping. */
  mapping(target: TracedMapping, patch: TracedMapping, path: readonly string[]): boolean {
    const directive = directiveOf(patch);
    if (directive === 'delete') return false;
    if (directive === 'replace') {
      target.value = this.#fresh(patch).value;
      return true;
    }
    for (const [key, value] of patch.value) {
      if (key === '$patch') continue;
      if (key.startsWith('$')) {
        const hint = 'Use $patch, or a JSON patch.';
        throw new KustomizeProblem(`\`${key}\` in a patch is not supported`, hint, value.place);
      }
      this.#field(target, key, value, [...path, key]);
    }
    return true;
  }

  #field(target: TracedMapping, key: string, patch: Traced, path: readonly string[]): void {
    const before = target.value.get(key);
    if (isCollection(patch) && isCollection(before) && isMapping(patch) !== isMapping(before)) {
      const hint = 'Use a JSON patch to make it something else.';
      throw new KustomizeProblem(`\`${key}\` is a list in one place and a mapping in the other`, hint, patch.place);
    }
    if (patch.value === null) target.value.delete(key);
    else if (isMapping(patch) && isMapping(before)) {
      if (!this.mapping(before, patch, path)) target.value.delete(key);
    } else if (isMapping(patch)) {
      if (directiveOf(patch) !== 'delete') target.value.set(key, this.#fresh(patch));
    } else if (Array.isArray(patch.value) && Array.isArray(before?.value)) {
      before.value = this.#list(before.value, patch.value, path);
    } else if (Array.isArray(patch.value)) {
      target.value.set(key, { place: patch.place, value: this.#list([], patch.value, path) });
    } else target.value.set(key, copied(patch, this.#budget));
  }

  #list(before: readonly Traced[], patch: readonly Traced[], path: readonly string[]): Traced[] {
    const name = path.at(-1) ?? '';
    const keys = mergeKeys[`${this.#kind} ${path.join('.')}`] ?? (path[0] === 'spec' ? workloadKeys[name] : undefined);
    const mappings = patch.filter(isMapping);
    const replaces = mappings.some((item) => directiveOf(item) === 'replace');
    const items = patch.filter((item) => !isMapping(item) || directiveOf(item) !== 'replace');
    if (keys === undefined || replaces || mappings.length < patch.length) {
      return items.flatMap((item) => {
        return isMapping(item) && directiveOf(item) === 'delete' ? [] : [copied(item, this.#budget)];
      });
    }
    const rest = [...before];
    const first: Traced[] = [];
    for (const item of mappings) {
      const index = rest.findIndex((known) => isMapping(known) && isSame(known, item, keys));
      const known = rest[index];
      if (isMapping(known)) {
        rest.splice(index, 1);
        if (this.mapping(known, item, path)) first.push(known);
      } else if (directiveOf(item) !== 'delete') first.push(this.#fresh(item));
    }
    return [...first, ...rest];
  }

  /** A copy of what a patch brings, without the directives and the nulls in it. */
  #fresh(patch: TracedMapping): TracedMapping {
    const made: TracedMapping = { place: patch.place, value: new Map() };
    this.#budget.spend(patch.place);
    for (const [key, value] of patch.value) if (key !== '$patch') this.#field(made, key, value, ['', key]);
    return made;
  }
}

/** Whether two items are meant to be one. */
function isSame(a: TracedMapping, b: TracedMapping, keys: readonly string[]): boolean {
  const [first = ''] = keys;
  if (!a.value.has(first) || !b.value.has(first)) return false;
  return keys.every((key) => scalar(a, key) === scalar(b, key));
}

function scalar(mapping: TracedMapping, key: string): string {
  const value = mapping.value.get(key);
  if (value === undefined) return key === 'protocol' ? 'TCP' : '';
  return typeof value.value === 'object' ? '' : String(value.value);
}

function isCollection(value: Traced | undefined): boolean {
  return value !== undefined && typeof value.value === 'object' && value.value !== null;
}

function directiveOf(patch: TracedMapping): 'delete' | 'replace' | null {
  const directive = patch.value.get('$patch');
  if (directive === undefined || directive.value === 'merge') return null;
  if (directive.value === 'delete' || directive.value === 'replace') return directive.value;
  throw new KustomizeProblem('`$patch` is delete, replace or merge', 'Write one of the three.', directive.place);
}
