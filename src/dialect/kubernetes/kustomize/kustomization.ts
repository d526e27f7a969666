import type { Document } from '../../../manifest/document.ts';
import { isJsonObject } from '../../../model/json.ts';
import { KustomizeProblem } from './problem.ts';
import { type Budget, isMapping, type Place, type Traced, type TracedMapping, trace, tracedText } from './traced.ts';

/** The names under which a folder's kustomization goes. */
export const kustomizationNames: readonly string[] = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];

/** Whether a document is the kustomization of its folder, which is not an object of a cluster. */
export function isKustomization({ file, value }: Pick<Document, 'file' | 'value'>): boolean {
  if (!kustomizationNames.includes(file.split('/').at(-1) ?? '')) return false;
  if (!isJsonObject(value)) return false;
  const { apiVersion, kind } = value;
  return (
    (apiVersion === undefined || String(apiVersion).startsWith('kustomize.config.k8s.io/')) &&
    (kind === undefined || kind === 'Kustomization' || kind === 'Component')
  );
}

/** What is not carried out, with what to do instead. */
const unsupported: { readonly [field: string]: string } = {
  crds: 'Name the fields that refer to others in a file under `configurations`.',
  generators: 'Generate with `configMapGenerator` and `secretGenerator`.',
  helmChartInflationGenerator: 'Commit what the chart comes to.',
  helmCharts: 'Commit what the chart comes to.',
  helmGlobals: 'Commit what the chart comes to.',
  openapi: 'Use JSON patches where lists are to be merged.',
  replacements: 'Write the value where it belongs, with a patch.',
  transformers: 'Use patches.',
  validators: 'Leave them out; Konverge checks what is built.',
  vars: 'Write the value where it belongs, with a patch.',
};

/** What a kustomization may say. What is marked false means nothing to what Kong gets. */
const fields: { readonly [field: string]: boolean } = {
  apiVersion: false,
  bases: true,
  buildMetadata: false,
  commonAnnotations: true,
  commonLabels: true,
  components: true,
  configMapGenerator: true,
  configurations: true,
  generatorOptions: true,
  images: false,
  kind: false,
  labels: true,
  metadata: false,
  namePrefix: true,
  nameSuffix: true,
  namespace: true,
  patches: true,
  patchesJson6902: true,
  patchesStrategicMerge: true,
  replicas: false,
  resources: true,
  secretGenerator: true,
  sortOptions: false,
};

/** The kustomization of one folder. */
export class Kustomization {
  /** Relative to the snapshot; empty for its root. */
  readonly folder: string;
  readonly isComponent: boolean;
  readonly #tree: TracedMapping;

  /** Reads one. Throws a KustomizeProblem where it uses what is not supported, or is no kustomization. */
  constructor(folder: string, document: Document, budget: Budget) {
    const tree = trace({ document, path: [] }, document.value, budget);
    if (!isMapping(tree)) throw new KustomizeProblem('This is no kustomization', 'Write a mapping.', tree.place);
    for (const [field, value] of tree.value) {
      const instead = Object.hasOwn(unsupported, field) ? unsupported[field] : undefined;
      if (instead !== undefined && !isEmpty(value)) {
        throw new KustomizeProblem(`\`${field}\` is not supported`, instead, value.place);
      }
      if (instead === undefined && !Object.hasOwn(fields, field)) {
        const hint = `It may hold ${Object.keys(fields).join(', ')}.`;
        throw new KustomizeProblem(`A kustomization has no \`${field}\``, hint, value.place);
      }
    }
    this.folder = folder;
    this.isComponent = tracedText(tree, 'kind') === 'Component';
    this.#tree = tree;
  }

  /** The place of the file, to name where nothing in it is to be. */
  get place(): Place {
    return this.#tree.place;
  }

  /** The text of a field; null where it is left out. */
  text(field: string): Traced | null {
    const found = this.#tree.value.get(field);
    if (found === undefined || found.value === null || found.value === '') return null;
    if (typeof found.value === 'string') return found;
    throw new KustomizeProblem(`\`${field}\` has to be a text`, 'Put it in quotes.', found.place);
  }

  /** The items of a list; none where it is left out. */
  list(field: string): readonly Traced[] {
    const found = this.#tree.value.get(field);
    if (found === undefined || found.value === null) return [];
    if (Array.isArray(found.value)) return found.value;
    throw new KustomizeProblem(`\`${field}\` has to be a list`, 'Put a dash before each item.', found.place);
  }

  /** The items of a list, each of which is a text. */
  texts(...names: readonly string[]): readonly (Traced & { readonly value: string })[] {
    return names.flatMap((field) =>
      this.list(field).map((item) => {
        if (typeof item.value === 'string') return item as Traced & { readonly value: string };
        throw new KustomizeProblem(`Each item of \`${field}\` has to be a text`, 'Put it in quotes.', item.place);
      }),
    );
  }

  /** The items of a list, each of which is a mapping. */
  mappings(field: string): readonly TracedMapping[] {
    return this.list(field).map((item) => {
      if (isMapping(item)) return item;
      throw new KustomizeProblem(`Each item of \`${field}\` has to be a mapping`, 'Write it as one.', item.place);
    });
  }

  /** The texts of a mapping by their keys. */
  pairs(field: string): ReadonlyMap<string, Traced> {
    return pairsOf(this.#tree.value.get(field), field);
  }

  /** A mapping; null where it is left out. */
  mapping(field: string): TracedMapping | null {
    const found = this.#tree.value.get(field);
    return isMapping(found) ? found : null;
  }
}

/** The texts of a mapping by their keys; none where it is left out. */
export function pairsOf(mapping: Traced | undefined, shown: string): ReadonlyMap<string, Traced> {
  if (mapping === undefined || mapping.value === null) return new Map();
  if (!isMapping(mapping)) {
    throw new KustomizeProblem(`\`${shown}\` has to be a mapping`, 'Write KEY: VALUE lines.', mapping.place);
  }
  for (const { value, place } of mapping.value.values()) {
    if (typeof value === 'object' && value !== null) {
      throw new KustomizeProblem(`Each value of \`${shown}\` has to be a text`, 'Put it in quotes.', place);
    }
  }
  // Numbers and truths are taken as they are written, for labels and annotations hold nothing but texts.
  return new Map([...mapping.value].map(([key, { place, value }]) => [key, { place, value: String(value) }]));
}

function isEmpty({ value }: Traced): boolean {
  return value === null || (Array.isArray(value) && value.length === 0) || (value instanceof Map && value.size === 0);
}
