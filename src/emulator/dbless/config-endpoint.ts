import { createHash } from 'node:crypto';
import { dump, load } from 'js-yaml';
import { canonicalJson, isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Answer, answer, envelope, unexpected } from '../http/answers.ts';
import type { ReadBody } from '../http/request.ts';
import { emptyHash, type Gateway } from '../state/gateway.ts';
import { loadDeclarative } from './declarative-load.ts';
import { declarativeCollections, flattenErrors } from './declarative-tree.ts';
import { errorTree } from './error-tree.ts';

/** Answers `POST /config`: the whole configuration replaced at once, or left as it was. */
export function postConfig(
  gateway: Gateway,
  body: ReadBody,
  rawText: string,
  query: ReadonlyMap<string, string>,
): Answer {
  if (body.kind === 'refused') return body.answer;
  const value = body.kind === 'json' ? body.value : {};
  const flatten = isTrue(query.get('flatten_errors') ?? value['flatten_errors']);
  const checkHash = String(query.get('check_hash') ?? value['check_hash'] ?? '') === '1';
  const { check_hash: _c, flatten_errors: _f, ...rest } = value;
  if (value['_format_version'] !== undefined) return apply(gateway, rest, md5(canonicalJson(rest)), flatten);
  const given = value['config'];
  // The hash of what is no text cannot be made, and Kong fails on it.
  if (given !== undefined && typeof given !== 'string' && typeof given !== 'number') return unexpected;
  const text = given === undefined ? rawText : String(given);
  if (given === undefined && text === '') return answer(400, { message: 'there is no configuration in this request' });
  const hash = md5(text);
  if (checkHash && hash === gateway.hash) return answer(304);
  const parsed = parseText(text);
  if ('problem' in parsed) return invalid({ error: parsed.problem });
  return apply(gateway, parsed.value, hash, flatten);
}

function apply(gateway: Gateway, input: JsonObject, hash: string, flatten: boolean): Answer {
  const loaded = loadDeclarative(gateway, input);
  if ('faults' in loaded) {
    if (!flatten) return invalid(errorTree(loaded.faults));
    try {
      const { fields, flattened } = flattenErrors(gateway, loaded.input, loaded.faults);
      // An empty list is an object here: Lua knows no difference.
      return invalid(fields, { flattened_errors: flattened.length === 0 ? {} : flattened });
    } catch {
      return unexpected;
    }
  }
  gateway.store = loaded.store;
  gateway.hash = loaded.count === 0 ? emptyHash : hash;
  return answer(201, loaded.answered);
}

function invalid(fields: JsonObject, more: JsonObject = {}): Answer {
  return envelope(14, 'the configuration is not valid: see fields', { fields, ...more });
}

/** Answers `GET /config`: what is held, as YAML that can be sent back. */
export function getConfig(gateway: Gateway): Answer {
  const document: { [key: string]: Json } = { _format_version: '3.0', _transform: false };
  for (const collection of declarativeCollections(gateway)) {
    const entities = gateway.store.all(collection.name);
    if (entities.length === 0 || collection.declarative === null) continue;
    document[collection.declarative] = entities.map((entity) => {
      const flat: { [field: string]: Json } = { ...entity };
      for (const { field } of collection.foreign) {
        const value = flat[field];
        if (isJsonObject(value)) flat[field] = value['id'] ?? null;
      }
      return flat;
    });
  }
  return answer(200, { config: dump(document, { lineWidth: -1, noRefs: true }) });
}

function parseText(text: string): { readonly value: JsonObject } | { readonly problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    try {
      value = load(text);
    } catch (error) {
      return { problem: `cannot be read: ${error instanceof Error ? error.message.split('\n')[0] : 'no YAML'}` };
    }
  }
  const json = value as Json | undefined;
  if (Array.isArray(json) && json.length === 0) return { value: {} };
  if (!isJsonObject(json)) return { problem: 'cannot be read: must be an object' };
  return { value: json };
}

function isTrue(value: Json | undefined): boolean {
  return value === true || value === '1' || value === 'true' || value === 1;
}

function md5(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('hex');
}
