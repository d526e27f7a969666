import type { Diagnostic } from '../model/diagnostic.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath, toPointer } from '../model/json.ts';
import type { Location } from '../model/location.ts';
import { duplicateKey } from './compose-findings.ts';
import type { Document } from './document.ts';
import { finding } from './findings.ts';
import { ParsedDocument, type ScalarForm } from './parsed-document.ts';
import { templateValue } from './template-value.ts';

const opening = '${{';

/** A document with its template expressions resolved. */
export interface ResolvedTemplates {
  /** The same document where it has no expression. What could not be resolved stays as it was written. */
  readonly document: Document;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Resolves decK's `${{ env "DECK_NAME" | … }}` in the values and keys of a document. Diagnostics stand at the text and
 * name variables, never their values.
 */
export function resolveTemplates(
  document: Document,
  environment: (name: string) => string | undefined,
): ResolvedTemplates {
  if (document instanceof ParsedDocument && !document.mentions(opening)) return { document, diagnostics: [] };
  const resolver = new Resolver(document, environment);
  const value = resolver.resolve(document.value, [], []);
  if (resolver.fromEnvironment.size === 0) return { document, diagnostics: resolver.diagnostics };
  return { document: resolver.document(value), diagnostics: resolver.diagnostics };
}

class Resolver {
  readonly diagnostics: Diagnostic[] = [];
  readonly fromEnvironment = new Map<string, string>();
  readonly #document: Document;
  readonly #environment: (name: string) => string | undefined;
  /** Keys as written, by the pointers of the resolved ones. */
  readonly #writtenKeys = new Map<string, string>();

  constructor(document: Document, environment: (name: string) => string | undefined) {
    this.#document = document;
    this.#environment = environment;
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
    return { file, index, value, fromEnvironment: this.fromEnvironment, at };
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
    const { value, variables, problems } = templateValue(text, this.#form(written, 'value'), this.#environment);
    for (const problem of problems) this.diagnostics.push(finding(problem, this.#document.at(written)));
    if (value !== text) this.fromEnvironment.set(toPointer(path), variables.join(', '));
    return value;
  }

  #key(key: string, written: JsonPath, parent: JsonPath): string {
    // Whatever a key looks like, it is a text, so it is never read by the rules for plain values.
    const { value, variables, problems } = templateValue(key, null, this.#environment);
    for (const problem of problems) this.diagnostics.push(finding(problem, this.#document.at(written, 'key')));
    const name = typeof value === 'string' ? value : JSON.stringify(value);
    const pointer = toPointer([...parent, name]);
    if (name !== key) {
      this.fromEnvironment.set(pointer, variables.join(', '));
      this.#writtenKeys.set(pointer, key);
    }
    return name;
  }

  /** Two keys that became one; shown as one of them was written, for the other came from the environment. */
  #addTwin(key: JsonPath, twin: JsonPath, shown: string): void {
    const other = this.#document.at(twin, 'key');
    this.diagnostics.push(finding(duplicateKey(shown, other.line), this.#document.at(key, 'key'), other));
  }

  #form(path: JsonPath, part: 'value' | 'key'): ScalarForm | null {
    return this.#document instanceof ParsedDocument ? this.#document.form(path, part) : null;
  }

  #at(path: JsonPath, part: 'value' | 'key'): Location {
    if (this.#writtenKeys.size === 0) return this.#document.at(path, part);
    const written = path.map((step, index) => this.#writtenKeys.get(toPointer(path.slice(0, index + 1))) ?? step);
    const location = this.#document.at(written, part);
    const steps = location.pointer === null || location.pointer === '' ? 0 : location.pointer.split('/').length - 1;
    return { ...location, pointer: toPointer(path.slice(0, steps)) };
  }
}
