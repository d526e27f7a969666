import type { Document } from '../../manifest/document.ts';
import type { RawEntity, RawReference } from '../../model/assemble.ts';
import { isUuid } from '../../model/derived-id.ts';
import {
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  setOwn,
  toPointer,
  valueAt,
} from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { foreignKey, kinds } from '../../model/kinds.ts';
import { nearestWord } from '../../model/suggest.ts';
import type { DeckInfo } from './deck-info.ts';
import { filledFrom, mergedOver, withoutNulls, withValueAt } from './deep-merge.ts';
import { headingOf, isMembershipKey, namesItself, nestedReference, type Parent } from './entity-parts.ts';
import type { Findings } from './findings.ts';
import { checkRemark } from './headers.ts';
import { type Layer, LayeredSource } from './layered-source.ts';
import { nestings, parentsOf } from './nesting.ts';
import type { DeckOptions } from './read-deck.ts';
import { readForeignKey } from './references.ts';
import { parseServiceUrl } from './service-url.ts';

/** A list that says who is in which group, to be read when all consumers are known. */
export interface Membership {
  /** The group or the consumer that the list stands in. */
  readonly of: RawEntity;
  readonly document: Document;
  /** The path of one item of the list. */
  readonly path: JsonPath;
  readonly value: Json;
}

/** Reads entities and what is nested in them; what it reads gathers in `entities` and `memberships`. */
export class EntityReader {
  readonly entities: RawEntity[] = [];
  readonly memberships: Membership[] = [];
  readonly #info: DeckInfo;
  readonly #options: DeckOptions;
  readonly #findings: Findings;

  constructor(info: DeckInfo, options: DeckOptions, findings: Findings) {
    this.#info = info;
    this.#options = options;
    this.#findings = findings;
  }

  /** Reads a list of entities of one kind. Null is an empty list. */
  list(document: Document, path: JsonPath, kind: KindName, value: Json, parent: Parent | null): void {
    if (value === null) return;
    if (!isJsonArray(value)) {
      this.#findings.wrongShape(document, path, JSON.stringify(path.at(-1)), `a list`, value);
      return;
    }
    for (const [index, item] of value.entries()) this.entity(document, [...path, index], kind, item, parent);
  }

  /** Reads one entity with its children, and gathers it. */
  entity(document: Document, path: JsonPath, kind: KindName, value: Json, parent: Parent | null): void {
    const draft = this.draft(document, path, kind, value, parent);
    if (draft === null) return;
    this.entities.push(draft.entity);
    this.children(document, path, draft.value, draft.entity);
  }

  /** An entity without its children, which is not gathered; null, and a finding, where the value is none. */
  draft(
    document: Document,
    path: JsonPath,
    kind: KindName,
    written: Json,
    parent: Parent | null,
  ): { readonly entity: RawEntity; readonly value: JsonObject } | null {
    const bareSni = kind === 'snis' && typeof written === 'string';
    const value: Json = bareSni ? { name: written } : written;
    if (!isJsonObject(value)) {
      this.#findings.wrongShape(document, path, `A ${kinds[kind].label}`, 'a mapping', value);
      return null;
    }
    const layers: Layer[] = bareSni ? [{ document, base: path, under: ['name'] }] : [];
    const extra: Layer[] = [];
    const own: { [field: string]: Json } = {};
    const references: RawReference[] = parent === null ? [] : [nestedReference(parent)];
    for (const [key, inner] of Object.entries(value)) {
      if (this.isOwnField(document, [...path, key], kind, inner, parent, references)) setOwn(own, key, inner);
    }
    const cleaned = withoutNulls(own);
    const sugared =
      kind === 'services'
        ? this.withUrl(document, path, cleaned, extra)
        : kind === 'plugins'
          ? this.withSharedConfig(document, path, cleaned, extra)
          : cleaned;
    const filled = this.withDefaults(kind, sugared, extra);
    if (kind === 'plugins') this.checkPartials(document, [...path, 'partials'], filled['partials']);
    const source = new LayeredSource(
      [{ document, base: path, under: [] }, ...layers, ...extra],
      bareSni ? path : headingOf(path, value),
    );
    const fields = this.withTexts(kind, filled, source);
    return {
      value,
      entity: {
        kind,
        id: this.readId(document, path, value['id']),
        fields,
        references,
        made: {},
        fromEnvironment: source.environmentOf(fields, this.#findings.environment),
        source,
      },
    };
  }

  /** Reads what is nested in an entity. */
  children(document: Document, path: JsonPath, value: JsonObject, parent: RawEntity): void {
    for (const [key, inner] of Object.entries(value)) {
      const nesting = nestings.get(parent.kind)?.get(key);
      const at = [...path, key];
      if (nesting !== undefined) {
        this.list(document, at, nesting.kind, inner, { entity: parent, field: nesting.field });
      } else if (isMembershipKey(parent.kind, key)) this.membershipList(document, at, inner, parent);
    }
  }

  private membershipList(document: Document, path: JsonPath, value: Json, of: RawEntity): void {
    if (value === null) return;
    if (!isJsonArray(value)) {
      this.#findings.wrongShape(document, path, JSON.stringify(path.at(-1)), 'a list', value);
      return;
    }
    for (const [index, item] of value.entries()) {
      this.memberships.push({ of, document, path: [...path, index], value: item });
    }
  }

  /** Whether a key is a field of the entity; what is not (an id, a reference, a list of children) is read here or later. */
  private isOwnField(
    document: Document,
    path: JsonPath,
    kind: KindName,
    value: Json,
    parent: Parent | null,
    references: RawReference[],
  ): boolean {
    const key = String(path.at(-1));
    if (key === 'id') return false;
    if (key === '_comment' || key === '_ignore') {
      checkRemark(document, path, value, this.#findings);
      return false;
    }
    if (nestings.get(kind)?.has(key) === true || isMembershipKey(kind, key)) return false;
    const foreign = foreignKey(kind, key);
    if (foreign !== undefined) {
      if (parent?.field === key && value !== null) this.reportNested(document, path, kind, value, parent);
      else for (const one of readForeignKey(document, path, foreign, value, this.#findings)) references.push(one);
      return false;
    }
    const parents = parentsOf.get(key);
    const misplaced = parents !== undefined && isJsonArray(value) && value.some(isJsonObject);
    if (misplaced) this.reportMisplaced(document, path, kind, parents);
    return !misplaced;
  }

  /** decK refuses it even where the parent itself is named (deck.md 1.4), though that is clear. */
  private reportNested(document: Document, path: JsonPath, kind: KindName, value: Json, parent: Parent): void {
    const word = kinds[parent.entity.kind].label;
    const message = `This ${kinds[kind].label} stands in a ${word} and names a ${word} as well`;
    const hint = `Remove ${JSON.stringify(path.at(-1))}, or move the ${kinds[kind].label} to the top level.`;
    const isClear = this.#options.forAnyKong && namesItself(value, parent.entity);
    if (isClear) this.#findings.warning('nested-reference', message, hint, [document.at(path)]);
    else this.#findings.error('nested-reference', message, hint, [document.at(path)]);
  }

  private reportMisplaced(document: Document, path: JsonPath, kind: KindName, parents: readonly KindName[]): void {
    const key = JSON.stringify(path.at(-1));
    const places = parents.map((parent) => `a ${kinds[parent].label}`).join(', ');
    this.#findings.error(
      'misplaced-list',
      `${key} cannot stand in a ${kinds[kind].label}`,
      `It belongs in: ${places}. Check the indentation.`,
      [document.at(path, 'key')],
    );
  }

  /** The id that was written, and a finding where it is none. */
  readId(document: Document, path: JsonPath, id: Json | undefined): string | null {
    if (id === undefined || id === null) return null;
    if (typeof id === 'string' && isUuid(id)) return id;
    const isStandIn = this.#options.valuesStandIn === true;
    if (isStandIn && this.#findings.environment.has(document, toPointer([...path, 'id']))) return null;
    this.#findings.error(
      'invalid-id',
      'An id has to be a UUID',
      'Write one, or leave the id out: it is then derived.',
      [document.at([...path, 'id'])],
    );
    return typeof id === 'string' && id !== '' ? id : null;
  }

  /** Each of a plugin's partials has to be named; that it is there is for the rules. */
  private checkPartials(document: Document, path: JsonPath, partials: Json | undefined): void {
    if (!isJsonArray(partials)) return;
    for (const [index, link] of partials.entries()) {
      const named = isJsonObject(link) && (typeof link['id'] === 'string' || typeof link['name'] === 'string');
      if (named) continue;
      const hint = 'Write {name: …} or {id: …}, and a path where the plugin has several places for it.';
      this.#findings.error('invalid-reference', 'This names no partial', hint, [document.at([...path, index])]);
    }
  }

  private withUrl(document: Document, path: JsonPath, own: JsonObject, extra: Layer[]): JsonObject {
    const { url, ...rest } = own;
    if (url === undefined) return rest;
    const at = [...path, 'url'];
    if (typeof url !== 'string') {
      this.#findings.wrongShape(document, at, 'url', 'a text', url);
      return rest;
    }
    const parsed = parseServiceUrl(url);
    if (typeof parsed === 'string') {
      const message = `${parsed.charAt(0).toUpperCase()}${parsed.slice(1)}`;
      this.#findings.error('invalid-url', message, 'Write it like http://example.test:8080/path.', [document.at(at)]);
      // Whatever else is said about the host that is missing belongs here as well.
      extra.push({ document, base: at, under: ['host'] });
      return rest;
    }
    if (parsed.ignored.length > 0) {
      const message = `Kong has no field for what this url has besides: ${parsed.ignored.join(', ')}`;
      this.#findings.warning('invalid-url', message, 'Remove it.', [document.at(at)]);
    }
    for (const field of ['protocol', 'host', 'path']) {
      const [beside, inUrl] = [rest[field] ?? null, parsed.fields[field] ?? null];
      if (beside === null || inUrl === null || beside === inUrl) continue;
      const message = `${JSON.stringify(field)} says something else than the url beside it, and counts`;
      const hint = 'Remove it, or write all parts of the url as fields of their own.';
      this.#findings.warning('invalid-url', message, hint, [document.at([...path, field]), document.at(at)]);
    }
    for (const field of Object.keys(parsed.fields)) extra.push({ document, base: at, under: [field] });
    return mergedOver(rest, parsed.fields);
  }

  private withSharedConfig(document: Document, path: JsonPath, own: JsonObject, extra: Layer[]): JsonObject {
    const { _config: name, ...rest } = own;
    if (name === undefined) return rest;
    const at = [...path, '_config'];
    if (typeof name !== 'string') {
      this.#findings.wrongShape(document, at, '_config', 'the name of a shared configuration', name);
      return rest;
    }
    const shared = this.#info.sharedConfigs.get(name);
    if (shared === undefined) {
      const known = [...this.#info.sharedConfigs.keys()].sort().map((key) => JSON.stringify(key));
      const near = nearestWord(name, this.#info.sharedConfigs.keys());
      this.#findings.error(
        'unknown-shared-config',
        `No file has a shared configuration named ${this.#findings.shown(document, at, name)}`,
        known.length === 0
          ? 'Add it to _plugin_configs.'
          : `${near === undefined ? '' : `Did you mean ${JSON.stringify(near)}? `}_plugin_configs has: ${known.join(', ')}.`,
        [document.at(at)],
      );
      return rest;
    }
    const config = rest['config'];
    if (config !== undefined && !isJsonObject(config)) return rest;
    extra.push({ document: shared.document, base: shared.path, under: ['config'] });
    return { ...rest, config: mergedOver(config ?? {}, shared.value) };
  }

  /** A variable's value is the text that it was, where Kong wants one, whatever YAML makes of it. */
  private withTexts(kind: KindName, fields: JsonObject, source: LayeredSource): JsonObject {
    let result = fields;
    for (const [path, text] of source.environmentTexts(this.#findings.environment)) {
      const isWanted = valueAt(fields, path) !== undefined && this.#options.wantsText?.(kind, fields, path) === true;
      if (!isWanted) continue;
      result = withValueAt(result, path, text);
      this.#findings.asTexts.push(source.at(path));
    }
    return result;
  }

  private withDefaults(kind: KindName, fields: JsonObject, extra: Layer[]): JsonObject {
    const defaults = this.#info.defaults.get(kind);
    if (defaults === undefined) return fields;
    extra.push({ document: defaults.document, base: defaults.path, under: [] });
    return filledFrom(fields, defaults.value);
  }
}
