import type { Diagnostic } from '../model/diagnostic.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath, toPointer } from '../model/json.ts';
import type { Location } from '../model/location.ts';
import { duplicateKey } from './compose-findings.ts';
import type { Document } from './document.ts';
import { finding } from './findings.ts';
import { defaultManifestLimits } from './limits.ts';
import { parseSource } from './parse.ts';
import { ParsedDocument, type ScalarForm } from './parsed-document.ts';
import { SourceText } from './source-text.ts';
import type { StandIns, TemplateWorld } from './template/evaluate.ts';
import { templateValue } from './template/value.ts';

const opening = '${{';

/** A document with its template expressions resolved. */
export interface ResolvedTemplates {
  /** The same document where it has no expression. What could not be resolved stays as it was written. */
  readonly document: Document;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Resolves decK's `${{ env "DECK_NAME" | … }}` in the values and keys of a document. Diagnostics stand at the text and
 * name variables, never their values. With `standIns`, other values stand for those of the environment: see `StandIns`.
 */
export function resolveTemplates(
  document: Document,
  environment: (name: string) => string | undefined,
  standIns: StandIns = 'never',
): ResolvedTemplates {
  if (document instanceof ParsedDocument && !document.mentions(opening)) return { document, diagnostics: [] };
  const resolver = new Resolver(document, { environment, standIns });
  const value = resolver.resolve(document.value, [], []);
  if (value === document.value) return { document, diagnostics: resolver.diagnostics };
  return { document: resolver.document(value), diagnostics: resolver.diagnostics };
}

class Resolver {
  readonly diagnostics: Diagnostic[] = [];
  readonly #fromEnvironment: Map<string, string>;
  readonly #texts = new Map<string, string>();
  readonly #document: Document;
  readonly #world: TemplateWorld;
  /** Keys as written, by the pointers of the resolved ones. */
  readonly #writtenKeys = new Map<string, string>();
  readonly #keys = new Set<string>();

  constructor(document: Document, world: TemplateWorld) {
    this.#document = document;
    this.#world = world;
    this.#fromEnvironment = new Map(document.fromEnvironment);
  }

  /** The value with its expressions resolved; itself where it has none. `written` is its path in the document. */
  resolve(value: Json, written: JsonPath, path: JsonPath): Json {
    if (typeof value === 'string') return value.includes(opening) ? this.#text(value, written, path) : value;
    if (isJsonArray(value)) return this.#list(value, written, path);
    return isJsonObject(value) ? this.#mapping(value, written, path) : value;
  }

  document(value: Json): Document {
    const { file, index } = this.#document;
    const at = (path: JsonPath, part: 'value' | 'key' = 'value') => this.#at(path, part);
    const fromEnvironment = this.#fromEnvironment;
    const environmentKeys = new Set([...(this.#document.environmentKeys ?? []), ...this.#keys]);
    return { file, index, value, fromEnvironment, environmentTexts: this.#texts, environmentKeys, at };
  }

  #list(list: readonly Json[], written: JsonPath, path: JsonPath): Json {
    let changed = false;
    const items = list.map((item, index) => {
      const resolved = this.resolve(item, [...written, index], [...path, index]);
      changed ||= resolved !== item;
      return resolved;
    });
    return changed ? items : list;
  }

  #mapping(mapping: { readonly [key: string]: Json }, written: JsonPath, path: JsonPath): Json {
    const entries: [string, Json][] = [];
    const keys = new Map<string, string>();
    let changed = false;
    for (const [key, value] of Object.entries(mapping)) {
      const name = key.includes(opening) ? this.#key(key, [...written, key], path) : key;
      const twin = keys.get(name);
      if (twin !== undefined) this.#addTwin([...written, key], [...written, twin], name === key ? key : twin);
      keys.set(name, key);
      const resolved = this.resolve(value, [...written, key], [...path, name]);
      changed ||= resolved !== value || name !== key;
      entries.push([name, resolved]);
    }
    return changed ? Object.fromEntries(entries) : mapping;
  }

  #text(text: string, written: JsonPath, path: JsonPath): Json {
    const form = this.#form(written, 'value');
    const resolved = templateValue(text, form, this.#world, (plain) =>
      readCollection(plain, this.#isBelowKey(written)),
    );
    const { value, variables } = resolved;
    for (const problem of resolved.problems) this.diagnostics.push(finding(problem, this.#document.at(written)));
    if (value === text) return value;
    const pointer = toPointer(path);
    for (const at of [pointer, ...pointersBelow(value, pointer)]) this.#fromEnvironment.set(at, variables.join(', '));
    for (const name of keysIn(value)) this.#keys.add(name);
    if (resolved.text !== null) this.#texts.set(pointer, resolved.text);
    return value;
  }

  #key(key: string, written: JsonPath, parent: JsonPath): string {
    // Whatever a key looks like, it is a text, so it is never read by the rules for plain values.
    const { value, variables, problems } = templateValue(key, null, this.#world);
    for (const problem of problems) this.diagnostics.push(finding(problem, this.#document.at(written, 'key')));
    const name = typeof value === 'string' ? value : JSON.stringify(value);
    const pointer = toPointer([...parent, name]);
    if (name !== key) {
      this.#fromEnvironment.set(pointer, variables.join(', '));
      this.#writtenKeys.set(pointer, key);
      this.#keys.add(name);
    }
    return name;
  }

  /** Two keys that became one; shown as one of them was written, for the other came from the environment. */
  #addTwin(key: JsonPath, twin: JsonPath, shown: string): void {
    const other = this.#document.at(twin, 'key');
    this.diagnostics.push(finding(duplicateKey(shown, other.line), this.#document.at(key, 'key'), other));
  }

  /** Whether a value stands on a line below that of its key. */
  #isBelowKey(path: JsonPath): boolean {
    return this.#document.at(path).line > this.#document.at(path, 'key').line;
  }

  #form(path: JsonPath, part: 'value' | 'key'): ScalarForm | null {
    return this.#document instanceof ParsedDocument ? this.#document.form(path, part) : null;
  }

  #at(path: JsonPath, part: 'value' | 'key'): Location {
    if (this.#writtenKeys.size === 0) return this.#document.at(path, part);
    const written = path.map((step, index) => this.#writtenKeys.get(toPointer(path.slice(0, index + 1))) ?? step);
    // The pointer, too, is that of the document as it was written: a key from the environment is not shown.
    return this.#document.at(written, part);
  }
}

/**
 * The list or mapping that a plain text is for YAML, which decK reads after a variable's value was put in its place:
 * one in brackets, or, where the value has lines for itself, any. Null where it is none.
 */
function readCollection(text: string, hasLines: boolean): Json | null {
  if (!/^[[{]/.test(text) && !(hasLines && /^- |:(?:\s|$)/m.test(text))) return null;
  const { documents, diagnostics } = parseSource(new SourceText('', text), defaultManifestLimits);
  const [document] = documents;
  if (document === undefined || documents.length > 1 || diagnostics.length > 0) return null;
  return isJsonArray(document.value) || isJsonObject(document.value) ? document.value : null;
}

/** The pointers of all that is in a list or mapping, for each of it came from the variable as well. */
function pointersBelow(value: Json, base: string): readonly string[] {
  if (!isJsonArray(value) && !isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([step, inner]) => {
    const pointer = `${base}${toPointer([step])}`;
    return [pointer, ...pointersBelow(inner, pointer)];
  });
}

/** The keys of all mappings in a value. */
function keysIn(value: Json): readonly string[] {
  if (isJsonArray(value)) return value.flatMap(keysIn);
  return isJsonObject(value) ? Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]) : [];
}
