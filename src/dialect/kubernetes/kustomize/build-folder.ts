import type { Document } from '../../../manifest/document.ts';
import { isJsonArray, isJsonObject } from '../../../model/json.ts';
import { behaviourOf, contentHash, generatedData } from './generators.ts';
import { Kustomization, pairsOf } from './kustomization.ts';
import { followNames, type NameReference, nameReferencesIn } from './name-references.ts';
import { applyPatch, fitsNothing, type ReadDocuments, readPatch } from './patches.ts';
import { KustomizeProblem } from './problem.ts';
import { Resource } from './resource.ts';
import type { SourceFiles } from './source-files.ts';
import {
  type Budget,
  isMapping,
  mappingUnder,
  type Place,
  type Traced,
  type TracedMapping,
  trace,
  tracedText,
} from './traced.ts';

/** Kinds whose names no prefix goes before. */
const keepTheirNames: ReadonlySet<string> = new Set(['CustomResourceDefinition', 'APIService', 'Namespace']);

/** A folder on the way from what is built to what it is built of. */
interface Way {
  readonly folder: string;
  readonly above: Way | null;
}

/** Builds folders with a kustomization to objects, in the order in which Kustomize takes its steps. */
export class FolderBuilder {
  /** The folders that were built, or of which parts were. */
  readonly visited = new Set<string>();
  /** The targets of patches that fit no object. */
  readonly idlePatches: Place[] = [];
  readonly #files: SourceFiles;
  readonly #budget: Budget;
  readonly #references: NameReference[] = [];

  /** A builder from these files. One is for one build: what names refer to what is known for all of it. */
  constructor(files: SourceFiles, budget: Budget) {
    this.#files = files;
    this.#budget = budget;
  }

  /** The objects of a folder. Throws a KustomizeProblem where it cannot be built. */
  build(folder: string, document: Document): readonly Resource[] {
    const kustomization = new Kustomization(folder, document, this.#budget);
    const resources = this.#accumulate(kustomization, [], { folder, above: null });
    for (const resource of resources) {
      if (!resource.needsHash) continue;
      resource.remember();
      resource.rename('name', `${resource.name}-${contentHash(resource)}`, resource.tree.place);
    }
    followNames(resources, this.#references);
    checkNames(resources, kustomization.place);
    return resources;
  }

  #accumulate(kustomization: Kustomization, given: readonly Resource[], way: Way): readonly Resource[] {
    const { folder } = kustomization;
    this.visited.add(folder);
    let resources = [...given];
    const seen = new Set(given.map(({ id }) => id));
    for (const item of kustomization.texts('resources', 'bases')) {
      const { isFolder, path } = this.#files.resolve(folder, item.value, item.place);
      const added = isFolder
        ? this.#folder(path, [], item.place, way, false)
        : this.#objects(folder, item.value, item.place);
      for (const resource of added) resources.push(resource);
      checkNames(added, item.place, seen);
    }
    for (const item of kustomization.texts('components')) {
      const { path } = this.#files.resolve(folder, item.value, item.place);
      resources = [...this.#folder(path, resources, item.place, way, true)];
    }
    for (const item of kustomization.texts('configurations')) {
      for (const document of this.#files.documents(folder, item.value, item.place)) {
        const configuration = trace({ document, path: [] }, document.value, this.#budget);
        if (isMapping(configuration)) for (const one of nameReferencesIn(configuration)) this.#references.push(one);
      }
    }
    this.#generate(kustomization, resources);
    return this.#transform(kustomization, resources);
  }

  #folder(
    path: string,
    given: readonly Resource[],
    place: Place,
    above: Way,
    isComponent: boolean,
  ): readonly Resource[] {
    let depth = 0;
    for (let way: Way | null = above; way !== null; way = way.above) {
      depth += 1;
      if (way.folder !== path && depth < 100) continue;
      throw new KustomizeProblem(
        `${path === '' ? 'This folder' : path} is built of itself`,
        'Break the circle.',
        place,
      );
    }
    const document = this.#files.kustomization(path, place);
    if (document === null) {
      const hint = 'Name the files in it, or add a kustomization.yaml.';
      throw new KustomizeProblem(`${path === '' ? 'This folder' : path} has no kustomization`, hint, place);
    }
    const kustomization = new Kustomization(path, document, this.#budget);
    if (kustomization.isComponent !== isComponent) {
      const [is, field] = isComponent ? ['no component', 'resources'] : ['a component', 'components'];
      throw new KustomizeProblem(`${path} is ${is}`, `Name it under \`${field}\`.`, place);
    }
    return this.#accumulate(kustomization, given, { folder: path, above });
  }

  #objects(folder: string, written: string, place: Place): readonly Resource[] {
    return this.#files.documents(folder, written, place).flatMap((document) => {
      const { value } = document;
      const items = isJsonObject(value) && String(value['kind']).endsWith('List') ? value['items'] : undefined;
      const parts = isJsonArray(items)
        ? items.map((item, index) => trace({ document, path: ['items', index] }, item, this.#budget))
        : [trace({ document, path: [] }, value, this.#budget)];
      return parts.map(asResource);
    });
  }

  #generate(kustomization: Kustomization, resources: Resource[]): void {
    for (const kind of ['ConfigMap', 'Secret'] as const) {
      for (const item of kustomization.mappings(kind === 'Secret' ? 'secretGenerator' : 'configMapGenerator')) {
        const made = this.#generated(kustomization, item, kind);
        const behaviour = behaviourOf(item);
        const index = resources.findIndex((resource) => resource.group === '' && resource.wasCalled(made));
        const before = resources[index];
        if (before !== undefined && behaviour === 'create') {
          throw new KustomizeProblem(
            `${made.shown} is there already`,
            'Say what becomes of it with `behavior`.',
            item.place,
          );
        }
        if (before === undefined && behaviour !== 'create') {
          const message = `There is no ${made.shown} to ${behaviour === 'merge' ? 'merge with' : 'replace'}`;
          throw new KustomizeProblem(message, 'Leave `behavior` out.', item.place);
        }
        if (before === undefined) resources.push(made);
        else resources[index] = absorbed(before, made, behaviour === 'merge');
      }
    }
  }

  #generated(kustomization: Kustomization, item: TracedMapping, kind: 'ConfigMap' | 'Secret'): Resource {
    const { folder } = kustomization;
    const name = item.value.get('name');
    if (typeof name?.value !== 'string') {
      throw new KustomizeProblem('What is generated needs a `name`', 'Give it one.', item.place);
    }
    const options = [kustomization.mapping('generatorOptions'), item.value.get('options')].filter(
      (of): of is TracedMapping => isMapping(of ?? undefined),
    );
    const { place } = item;
    const text = (value: string): Traced => ({ place, value });
    const metadata: TracedMapping = { place, value: new Map([['name', name]]) };
    const namespace = item.value.get('namespace');
    if (typeof namespace?.value === 'string') metadata.value.set('namespace', namespace);
    for (const field of ['labels', 'annotations']) {
      const pairs = new Map(options.flatMap((of) => [...pairsOf(of.value.get(field), field)]));
      if (pairs.size > 0) metadata.value.set(field, { place, value: pairs });
    }
    const { data, binaryData } = generatedData(item, kind, (path, at) => this.#files.bytes(folder, path, at));
    const tree: TracedMapping = {
      place,
      value: new Map<string, Traced>([
        ['apiVersion', text('v1')],
        ['kind', text(kind)],
        ['metadata', metadata],
      ]),
    };
    if (kind === 'Secret') tree.value.set('type', item.value.get('type') ?? text('Opaque'));
    if (data.size > 0) tree.value.set('data', { place, value: data });
    if (binaryData.size > 0) tree.value.set('binaryData', { place, value: binaryData });
    const made = new Resource(tree);
    made.needsHash = !options.some((of) => of.value.get('disableNameSuffixHash')?.value === true);
    return made;
  }

  #transform(kustomization: Kustomization, given: readonly Resource[]): readonly Resource[] {
    const { folder } = kustomization;
    let resources = given;
    const read: ReadDocuments = (path, place) => this.#files.documents(folder, path, place);
    const patch = (field: string) => {
      for (const item of kustomization.list(field)) {
        const patch = readPatch(item, read, this.#budget);
        if (fitsNothing(patch, resources)) this.idlePatches.push(patch.target?.place ?? item.place);
        resources = applyPatch(patch, resources, this.#budget);
      }
    };
    patch('patchesStrategicMerge');
    patch('patches');
    const naming = ['namespace', 'namePrefix', 'nameSuffix'].map((field) => kustomization.text(field));
    for (const resource of resources) giveNames(resource, naming);
    const labels = kustomization.mappings('labels').flatMap((item) => [...pairsOf(item.value.get('pairs'), 'pairs')]);
    setAll(resources, 'labels', [...labels, ...kustomization.pairs('commonLabels')]);
    setAll(resources, 'annotations', [...kustomization.pairs('commonAnnotations')]);
    patch('patchesJson6902');
    checkNames(resources, kustomization.place);
    return resources;
  }
}

/** Puts an object into a namespace, and what is to go before and behind its name. */
function giveNames(resource: Resource, [namespace, prefix, suffix]: readonly (Traced | null)[]): void {
  resource.remember();
  if (namespace != null && resource.isNamespaced) {
    resource.rename('namespace', String(namespace.value), namespace.place);
  }
  if (namespace != null && resource.kind === 'Namespace' && resource.group === '') {
    resource.rename('name', String(namespace.value), namespace.place);
  }
  if (keepTheirNames.has(resource.kind)) return;
  if (prefix != null) {
    resource.affixes.push(`${prefix.value}*`);
    resource.rename('name', `${prefix.value}${resource.name}`, prefix.place);
  }
  if (suffix != null) {
    resource.affixes.push(`*${suffix.value}`);
    resource.rename('name', `${resource.name}${suffix.value}`, suffix.place);
  }
}

function asResource(tree: Traced): Resource {
  if (isMapping(tree) && tracedText(tree, 'apiVersion') !== null && tracedText(tree, 'kind') !== null) {
    const resource = new Resource(tree);
    if (resource.name !== '') return resource;
  }
  const hint = 'Files of other uses do not belong under `resources`.';
  throw new KustomizeProblem('A resource needs `apiVersion`, `kind` and `metadata.name`', hint, tree.place);
}

/** What a base has generated, as another generator of the same name leaves it. */
function absorbed(before: Resource, made: Resource, merges: boolean): Resource {
  const result = new Resource(made.tree);
  for (const one of before.former) result.former.push(one);
  for (const one of before.affixes) result.affixes.push(one);
  result.needsHash = before.needsHash && made.needsHash;
  const metadata = mappingUnder(made.tree, 'metadata', made.tree.place);
  const old = before.tree.value.get('metadata');
  for (const field of ['name', 'namespace']) {
    const kept = isMapping(old) ? old.value.get(field) : undefined;
    if (kept === undefined) metadata.value.delete(field);
    else metadata.value.set(field, kept);
  }
  for (const field of ['labels', 'annotations'])
    overlay(isMapping(old) ? old.value.get(field) : undefined, metadata, field);
  if (merges) for (const field of ['data', 'binaryData']) overlay(before.tree.value.get(field), made.tree, field);
  return result;
}

function overlay(below: Traced | undefined, parent: TracedMapping, field: string): void {
  if (!isMapping(below)) return;
  const above = parent.value.get(field);
  const entries = [...below.value, ...(isMapping(above) ? above.value : [])];
  parent.value.set(field, { place: above?.place ?? below.place, value: new Map(entries) });
}

function setAll(
  resources: readonly Resource[],
  field: 'labels' | 'annotations',
  pairs: readonly (readonly [string, Traced])[],
): void {
  if (pairs.length === 0) return;
  for (const { tree } of resources) {
    for (const [key, text] of pairs) {
      const metadata = mappingUnder(tree, 'metadata', text.place);
      mappingUnder(metadata, field, text.place).value.set(key, { ...text });
    }
  }
}

function checkNames(resources: readonly Resource[], place: Place, seen = new Set<string>()): void {
  for (const resource of resources) {
    const { id } = resource;
    if (seen.has(id)) {
      throw new KustomizeProblem(
        `${resource.shown} comes in twice`,
        'Build it once only, or give it another name.',
        place,
      );
    }
    seen.add(id);
  }
}
