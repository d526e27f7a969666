import type { Document } from '../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, setOwn } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { foreignKey, kinds } from '../../model/kinds.ts';
import { withoutNulls } from './deep-merge.ts';
import { type Envelope, keepOne } from './envelope.ts';
import type { Findings } from './findings.ts';
import { nestings } from './nesting.ts';

/** What `_info.defaults` may hold, with the fields that say which entity it is and so cannot have a default. */
interface Defaultable {
  readonly kind: KindName;
  readonly identifying: readonly string[];
}

const defaultable: { readonly [key: string]: Defaultable } = {
  service: { kind: 'services', identifying: ['id', 'name'] },
  route: { kind: 'routes', identifying: ['id', 'name'] },
  upstream: { kind: 'upstreams', identifying: ['id', 'name'] },
  target: { kind: 'targets', identifying: ['id', 'target'] },
};

const lookupKinds: readonly KindName[] = ['consumers', 'consumer_groups', 'routes', 'services', 'partials'];

const infoKeys = [
  'select_tags',
  'default_lookup_tags',
  'defaults',
  'consumer_group_policy_overrides',
  'skip_hash_for_basic_auth',
  'include_plugin_definitions',
] as const;

/** Reads a document's `_info` (deck.md 1.3) into the envelope. */
export function readInfo(document: Document, info: Json, envelope: Envelope, findings: Findings): void {
  if (info === null) return;
  if (!isJsonObject(info)) {
    findings.wrongShape(document, ['_info'], '_info', 'a mapping', info);
    return;
  }
  for (const [key, value] of Object.entries(info)) {
    const path = ['_info', key];
    if (value === null) continue;
    switch (key) {
      case 'select_tags':
        for (const [tag, at] of textList(document, path, value, findings)) {
          if (!envelope.selectTags.has(tag)) envelope.selectTags.set(tag, document.at(at));
        }
        break;
      case 'default_lookup_tags':
        readLookupTags(document, path, value, envelope, findings);
        break;
      case 'defaults':
        readDefaults(document, path, value, envelope, findings);
        break;
      case 'consumer_group_policy_overrides':
      case 'skip_hash_for_basic_auth':
      case 'include_plugin_definitions':
        readSwitch(document, path, value, envelope, findings);
        break;
      default:
        findings.unknownKey(document, path, '_info', infoKeys);
    }
  }
}

function readSwitch(document: Document, path: JsonPath, value: Json, envelope: Envelope, findings: Findings): void {
  const key = String(path.at(-1));
  if (typeof value !== 'boolean') {
    findings.wrongShape(document, path, key, 'true or false', value);
    return;
  }
  if (!value) return;
  if (key === 'include_plugin_definitions') envelope.pluginDefinitions = true;
  if (key === 'consumer_group_policy_overrides') {
    findings.warning(
      'policy-overrides',
      'Plugins of consumer groups are delivered as plugins scoped to the group, not as policy overrides',
      'Kong 3.4 and later take scoped plugins; remove consumer_group_policy_overrides.',
      [document.at(path, 'key')],
    );
  }
}

function readLookupTags(document: Document, path: JsonPath, value: Json, envelope: Envelope, findings: Findings): void {
  if (!isJsonObject(value)) {
    findings.wrongShape(document, path, 'default_lookup_tags', 'a mapping', value);
    return;
  }
  for (const [key, tags] of Object.entries(value)) {
    const kind = lookupKinds.find((candidate) => candidate === key);
    if (kind === undefined) findings.unknownKey(document, [...path, key], 'default_lookup_tags', lookupKinds);
    else if (tags !== null) {
      const list = textList(document, [...path, key], tags, findings).map(([tag]) => tag);
      if (isJsonArray(tags) && tags.length === 0) {
        findings.error('wrong-shape', 'A list of lookup tags cannot be empty', 'Name a tag, or remove the list.', [
          document.at([...path, key]),
        ]);
      }
      envelope.lookupTags.set(kind, [...new Set([...(envelope.lookupTags.get(kind) ?? []), ...list])].sort());
    }
  }
}

function readDefaults(document: Document, path: JsonPath, value: Json, envelope: Envelope, findings: Findings): void {
  if (!isJsonObject(value)) {
    findings.wrongShape(document, path, 'defaults', 'a mapping', value);
    return;
  }
  for (const [key, fields] of Object.entries(value)) {
    const at = [...path, key];
    const form = Object.hasOwn(defaultable, key) ? defaultable[key] : undefined;
    if (form === undefined) findings.unknownKey(document, at, 'defaults', Object.keys(defaultable));
    else if (fields === null || (isJsonObject(fields) && Object.keys(fields).length === 0)) continue;
    else if (!isJsonObject(fields)) findings.wrongShape(document, at, JSON.stringify(key), 'a mapping', fields);
    else {
      const what = `the defaults of a ${key}`;
      const next = { document, path: at, value: defaultFields(document, at, form, fields, findings) };
      envelope.defaults.set(form.kind, keepOne(envelope.defaults.get(form.kind), next, what, findings));
    }
  }
}

/** The fields that have a default. What says which entity is meant, or what belongs to it, cannot have one. */
function defaultFields(
  document: Document,
  path: JsonPath,
  { kind, identifying }: Defaultable,
  fields: JsonObject,
  findings: Findings,
): JsonObject {
  const kept: { [field: string]: Json } = {};
  for (const [field, value] of Object.entries(withoutNulls(fields))) {
    const barred =
      identifying.includes(field) || foreignKey(kind, field) !== undefined || nestings.get(kind)?.has(field) === true;
    if (!barred) setOwn(kept, field, value);
    else {
      const message = `${JSON.stringify(field)} says which ${kinds[kind].label} is meant or what belongs to it, so it has no default`;
      findings.error('forbidden-default', message, 'Remove it.', [document.at([...path, field], 'key')]);
    }
  }
  return kept;
}

/** The texts of a list, each with its path. What is no text is reported. */
function textList(
  document: Document,
  path: JsonPath,
  value: Json,
  findings: Findings,
): readonly (readonly [string, JsonPath])[] {
  if (!isJsonArray(value)) {
    findings.wrongShape(document, path, String(path.at(-1)), 'a list of tags', value);
    return [];
  }
  return value.flatMap((item, index): (readonly [string, JsonPath])[] => {
    const at = [...path, index];
    const tag = findings.asText(document, at, item);
    if (typeof tag === 'string' && tag !== '') return [[tag, at]];
    findings.wrongShape(document, at, 'A tag', 'a text that is not empty', tag);
    return [];
  });
}
