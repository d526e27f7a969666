import type { Document } from '../../../manifest/document.ts';
import { defaultManifestLimits } from '../../../manifest/limits.ts';
import { parseSource } from '../../../manifest/parse.ts';
import { SourceText } from '../../../manifest/source-text.ts';
import { toPointer } from '../../../model/json.ts';
import { applyJsonPatch } from './json-patch.ts';
import { compileNamePattern } from './name-pattern.ts';
import { KustomizeProblem } from './problem.ts';
import { Resource } from './resource.ts';
import { mergePatch } from './strategic-merge.ts';
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

/** The documents of a file of the folder that is built. */
export type ReadDocuments = (path: string, place: Place) => readonly Document[];

/** A patch: what it does, and to which objects where it does not say so itself. */
export interface Patch {
  readonly content: readonly Traced[];
  readonly target: TracedMapping | null;
}

/** The patch that an item of `patches` or of its predecessors holds or names. */
export function readPatch(item: Traced, read: ReadDocuments, budget: Budget): Patch {
  const target = isMapping(item) ? item.value.get('target') : undefined;
  if (isMapping(item)) {
    const options = item.value.get('options');
    if (isMapping(options) && [...options.value.values()].some(({ value }) => value === true)) {
      const hint = 'Change names with namePrefix and nameSuffix.';
      throw new KustomizeProblem('`options` of a patch are not supported', hint, options.place);
    }
  }
  return { content: contentOf(item, read, budget), target: isMapping(target) ? target : null };
}

function contentOf(item: Traced, read: ReadDocuments, budget: Budget): readonly Traced[] {
  const inner = isMapping(item) ? (item.value.get('patch') ?? item.value.get('path')) : item;
  if (typeof inner?.value !== 'string') {
    throw new KustomizeProblem('A patch needs `path` or `patch`', 'Write one of the two.', item.place);
  }
  // The predecessor of `patches` takes either in the same place.
  const isInline = isMapping(item) ? item.value.has('patch') : inner.value.includes('\n');
  const documents = isInline ? inlineDocuments(inner.value, inner.place) : read(inner.value, inner.place);
  return documents.map((document) => trace({ document, path: [] }, document.value, budget));
}

/** The documents in a text of a kustomization, with the places in its file as far as they can be told. */
function inlineDocuments(text: string, place: Place): readonly Document[] {
  const { documents, diagnostics } = parseSource(new SourceText('', text), defaultManifestLimits);
  const wrong = diagnostics.find(({ severity }) => severity === 'error');
  if (wrong !== undefined) throw new KustomizeProblem('This patch cannot be read as YAML', wrong.hint, place);
  const around = place.document.at(place.path);
  const pointer = toPointer(place.path);
  const variable = place.document.fromEnvironment.get(pointer);
  const isBlock = around.endLine - around.line >= text.trimEnd().split('\n').length;
  return documents.map((document) => ({
    file: place.document.file,
    index: place.document.index,
    value: document.value,
    fromEnvironment: variable === undefined ? new Map() : new EveryPointer(variable),
    at: (path, part) => {
      if (!isBlock) return around;
      const { line, endLine } = document.at(path, part);
      return { ...around, line: around.line + line, column: 1, endLine: around.line + endLine, endColumn: 1 };
    },
  }));
}

/** Says of any pointer that its value came from a variable. */
class EveryPointer extends Map<string, string> {
  readonly #variable: string;

  constructor(variable: string) {
    super([['', variable]]);
    this.#variable = variable;
  }

  override get(): string {
    return this.#variable;
  }
}

/** Whether the target of a patch fits no object, so that the patch does nothing. */
export function fitsNothing({ target }: Patch, resources: readonly Resource[]): boolean {
  return target !== null && !resources.some(selector(target));
}

/** Carries a patch out; gives the objects that are left. */
export function applyPatch(
  { content, target }: Patch,
  resources: readonly Resource[],
  budget: Budget,
): readonly Resource[] {
  let left = resources;
  const chosen = target === null ? null : resources.filter(selector(target));
  const [first] = content;
  if (content.length === 1 && Array.isArray(first?.value)) {
    if (chosen === null) throw new KustomizeProblem('A JSON patch needs a `target`', 'Name the object.', first.place);
    for (const resource of chosen) {
      resource.remember();
      applyJsonPatch(resource.tree, first.value, budget);
    }
    return left;
  }
  const second = content[1];
  if (chosen !== null && second !== undefined) {
    const hint = 'Make a patch of each.';
    throw new KustomizeProblem('With a `target`, a patch is one document', hint, second.place);
  }
  for (const patch of content) {
    if (!isMapping(patch)) {
      throw new KustomizeProblem('A patch is an object or a JSON patch', 'Write one of the two.', patch.place);
    }
    const deleted = new Set((chosen ?? [named(patch, left)]).filter((resource) => !merge(resource, patch, budget)));
    left = left.filter((resource) => !deleted.has(resource));
  }
  return left;
}

/** The object that a patch is for by its own kind and name. */
function named(patch: TracedMapping, resources: readonly Resource[]): Resource {
  const meant = new Resource(patch);
  const found = resources.filter(
    (resource) =>
      resource.group === meant.group &&
      resource.version === meant.version &&
      resource.wasCalled({ kind: meant.kind, namespace: meant.namespace, name: meant.name }),
  );
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const message = `${found.length === 0 ? 'No object is' : 'Several objects are'} ${meant.shown}, which this patch is for`;
  throw new KustomizeProblem(
    message,
    'Its kind, version, namespace and name have to be those of one object.',
    patch.place,
  );
}

/** False where the patch deletes the object. What it is called stays as it is. */
function merge(resource: Resource, patch: TracedMapping, budget: Budget): boolean {
  const { tree, kind } = resource;
  const before = tree.value.get('metadata');
  const named = ['name', 'namespace'].map(
    (key) => [key, isMapping(before) ? before.value.get(key) : undefined] as const,
  );
  const typed = ['apiVersion', 'kind'].map((key) => [key, tree.value.get(key)] as const);
  if (!mergePatch(tree, patch, kind, budget)) return false;
  restore(tree, typed);
  restore(mappingUnder(tree, 'metadata', tree.place), named);
  return true;
}

function restore(mapping: TracedMapping, values: readonly (readonly [key: string, value: Traced | undefined])[]): void {
  for (const [key, value] of values) {
    if (value === undefined) mapping.value.delete(key);
    else mapping.value.set(key, value);
  }
}

/** A test of which objects a target means: all that it says is an expression for the whole of a text. */
function selector(target: TracedMapping): (resource: Resource) => boolean {
  const tests: ((resource: Resource) => boolean)[] = [];
  for (const [field, { value, place }] of target.value) {
    if (value === null || value === '') continue;
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : null;
    if (text !== null && (field === 'labelSelector' || field === 'annotationSelector')) {
      tests.push(labelTest(text, field === 'labelSelector' ? 'labels' : 'annotations', place));
      continue;
    }
    const matches = text === null ? null : compileNamePattern(text);
    if (matches === null) {
      const hint = 'It may use characters, ., [...], (...), |, *, + and ?.';
      throw new KustomizeProblem(`This \`${field}\` of a target is not supported`, hint, place);
    }
    if (field === 'name') tests.push(({ names }) => names.some(({ name }) => matches(name)));
    else if (field === 'namespace') {
      tests.push(({ names }) =>
        names.some(({ namespace }) => matches(namespace) || (namespace === '' && matches('default'))),
      );
    } else if (field === 'kind' || field === 'group' || field === 'version') {
      tests.push((resource) => matches(resource[field]));
    } else throw new KustomizeProblem(`A target has no \`${field}\``, 'Name the object by its kind and name.', place);
  }
  return (resource) => tests.every((test) => test(resource));
}

/** `a=b,c!=d,e,!f` and `g in (h,i)`. */
function labelTest(text: string, field: 'labels' | 'annotations', place: Place): (resource: Resource) => boolean {
  const tests = text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part): ((of: (key: string) => string | null) => boolean) => {
      const set = /^([^\s=!]+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(part);
      if (set !== null) {
        const [, key = '', word, list = ''] = set;
        const values = list.split(',').map((one) => one.trim());
        return (of) => values.includes(of(key) ?? '\n') === (word === 'in');
      }
      const equal = /^([^\s=!]+)\s*(==|=|!=)\s*([^\s=!]*)$/.exec(part);
      if (equal !== null) {
        const [, key = '', mark, value] = equal;
        return (of) => (of(key) === value) === (mark !== '!=');
      }
      const there = /^(!?)\s*([^\s=!]+)$/.exec(part);
      if (there === null) {
        throw new KustomizeProblem('This selector cannot be read', 'Write KEY=VALUE parts with commas.', place);
      }
      const [, mark, key = ''] = there;
      return (of) => (of(key) === null) === (mark === '!');
    });
  return ({ tree }) => tests.every((test) => test((key) => tracedText(tree, 'metadata', field, key)));
}
