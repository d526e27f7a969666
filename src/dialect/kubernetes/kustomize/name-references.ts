import { KustomizeProblem } from './problem.ts';
import type { Resource } from './resource.ts';
import { isMapping, type Traced, type TracedMapping, tracedText } from './traced.ts';

/** A field of some kinds that holds the name of an object of another. */
export interface NameReference {
  /** The kind that is referred to, and its group where that is said. */
  readonly kind: string;
  readonly group: string | null;
  /** The kind that refers, and its group where that is said. Any kind where it is null. */
  readonly from: { readonly kind: string | null; readonly group: string | null };
  /** The keys to the name; lists on the way are gone through. */
  readonly path: readonly string[];
}

function builtIn(kind: string, from: string, ...paths: readonly string[]): readonly NameReference[] {
  return paths.map((path) => ({ kind, group: null, from: { kind: from, group: null }, path: path.split('/') }));
}

/** What Kustomize knows of by itself, of the kinds that are read. It knows of no kind of Kong and the Gateway API. */
const builtIns: readonly NameReference[] = [
  ...builtIn(
    'Service',
    'Ingress',
    'spec/rules/http/paths/backend/service/name',
    'spec/rules/http/paths/backend/serviceName',
    'spec/defaultBackend/service/name',
    'spec/backend/serviceName',
  ),
  ...builtIn('Secret', 'Ingress', 'spec/tls/secretName'),
];

/** The references that a file of `configurations` adds. */
export function nameReferencesIn(configuration: TracedMapping): readonly NameReference[] {
  const found: NameReference[] = [];
  for (const [field, value] of configuration.value) {
    if (field !== 'nameReference' || !Array.isArray(value.value)) {
      const hint = 'Only nameReference is read.';
      throw new KustomizeProblem(`\`${field}\` in a configuration is not supported`, hint, value.place);
    }
    for (const target of value.value) {
      const kind = tracedText(target, 'kind');
      const specs = isMapping(target) ? target.value.get('fieldSpecs')?.value : undefined;
      if (kind === null || !Array.isArray(specs)) {
        const hint = 'See the documentation of Kustomize.';
        throw new KustomizeProblem('A nameReference needs `kind` and `fieldSpecs`', hint, target.place);
      }
      for (const spec of specs) {
        const path = tracedText(spec, 'path');
        if (path === null) throw new KustomizeProblem('A fieldSpec needs a `path`', 'Write it with /.', spec.place);
        const from = { kind: tracedText(spec, 'kind'), group: tracedText(spec, 'group') };
        // Brackets after a key say that it is a list, which goes without saying.
        const keys = path.split(/(?<!\\)\//).map((key) => key.replace(/\[\]$/, '').replaceAll('\\/', '/'));
        found.push({ kind, group: tracedText(target, 'group'), from, path: keys });
      }
    }
  }
  return found;
}

/** Puts the new names of objects wherever others refer to them by one that they had. */
export function followNames(resources: readonly Resource[], added: readonly NameReference[]): void {
  const references = [...builtIns, ...added];
  const renamed = resources.filter(({ former, name }) => former.some((before) => before.name !== name));
  if (renamed.length === 0) return;
  const byName = new Map<string, Set<Resource>>();
  for (const resource of renamed) {
    for (const { kind, name } of resource.names) {
      const key = `${kind}/${name}`;
      byName.set(key, (byName.get(key) ?? new Set()).add(resource));
    }
  }
  for (const referrer of resources) {
    for (const { kind, group, from, path } of references) {
      if (!fits(from.kind, referrer.kind) || !fits(from.group, referrer.group)) continue;
      for (const field of fieldsAt(referrer.tree, path)) {
        const named = [...(byName.get(`${kind}/${field.value}`) ?? [])].filter((one) => fits(group, one.group));
        const target = chosen(referrer, named, resources, field);
        if (target !== null) field.value = target.name;
      }
    }
  }
}

function fits(wanted: string | null, is: string): boolean {
  return wanted === null || wanted === is;
}

function chosen(
  referrer: Resource,
  named: readonly Resource[],
  all: readonly Resource[],
  field: Traced,
): Resource | null {
  const near = named.filter(({ isNamespaced, namespace }) => !isNamespaced || namespace === referrer.namespace);
  if (near.length <= 1) return near[0] ?? null;
  const [first] = near;
  const akin = near.filter(({ affixes }) => affixes.join('\n') === referrer.affixes.join('\n'));
  if (akin.length === 1) return akin[0] ?? null;
  if (first !== undefined && near.every(({ name }) => name === first.name)) return first;
  // What has the name now is meant, where there is one.
  if (all.some((one) => one.kind === first?.kind && one.name === field.value && one.namespace === referrer.namespace)) {
    return null;
  }
  const hint = `They are now ${near.map(({ name }) => name).join(', ')}; write one of these.`;
  throw new KustomizeProblem(`Several objects were called ${JSON.stringify(field.value)}`, hint, field.place);
}

function fieldsAt(value: Traced, [key, ...rest]: readonly string[]): readonly (Traced & { value: string })[] {
  if (Array.isArray(value.value)) {
    return value.value.flatMap((item) => fieldsAt(item, key === undefined ? [] : [key, ...rest]));
  }
  if (key === undefined) return typeof value.value === 'string' ? [value as Traced & { value: string }] : [];
  const inner = isMapping(value) ? value.value.get(key) : undefined;
  return inner === undefined ? [] : fieldsAt(inner, rest);
}
