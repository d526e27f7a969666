import type { Document } from '../../manifest/document.ts';
import type { RawReference } from '../../model/assemble.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, setOwn } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { foreignKey } from '../../model/kinds.ts';
import type { EntityReader } from './entity-reader.ts';
import type { Findings } from './findings.ts';
import { LayeredSource } from './layered-source.ts';
import { readForeignKey } from './references.ts';

/** The kinds that decK writes as `custom_entities`, whose `type` is the kind's name (deck.md 1.4). */
export const customKinds: readonly KindName[] = ['degraphql_routes', 'graphql_ratelimiting_cost_decorations'];

const keys = ['type', 'fields', 'id', 'tags'];

/** Reads a `custom_entities` list: `{type, id, fields}` each. Nulls among the fields are kept, as decK does. */
export function readCustomEntities(document: Document, value: Json, reader: EntityReader, findings: Findings): void {
  if (value === null) return;
  if (!isJsonArray(value)) {
    findings.wrongShape(document, ['custom_entities'], 'custom_entities', 'a list', value);
    return;
  }
  for (const [index, item] of value.entries()) {
    const path = ['custom_entities', index];
    if (isJsonObject(item)) readCustomEntity(document, path, item, reader, findings);
    else findings.wrongShape(document, path, 'A custom entity', 'a mapping', item);
  }
}

function readCustomEntity(
  document: Document,
  path: JsonPath,
  item: JsonObject,
  reader: EntityReader,
  findings: Findings,
): void {
  for (const key of Object.keys(item)) {
    if (!keys.includes(key)) findings.unknownKey(document, [...path, key], 'a custom entity', keys);
  }
  const kind = customKinds.find((candidate) => candidate === item['type']);
  if (kind === undefined) {
    const at = [...path, ...(Object.hasOwn(item, 'type') ? ['type'] : [])];
    const message = 'The type of a custom entity has to be one that Konverge knows';
    findings.error('custom-entity-type', message, `Known are: ${customKinds.join(', ')}.`, [document.at(at)]);
    return;
  }
  const written = item['fields'] ?? null;
  const at = [...path, 'fields'];
  if (!isJsonObject(written)) {
    findings.wrongShape(document, at, '"fields"', 'a mapping', written);
    return;
  }
  const fields: { [field: string]: Json } = {};
  const references: RawReference[] = [];
  for (const [key, value] of Object.entries(written)) {
    const foreign = foreignKey(kind, key);
    if (foreign === undefined) setOwn(fields, key, value);
    else {
      if (typeof value === 'string') {
        const hint = 'Write {name: …} or {id: …}.';
        findings.error('invalid-reference', `${key} of a custom entity has to be a mapping`, hint, [
          document.at([...at, key]),
        ]);
      }
      for (const one of readForeignKey(document, [...at, key], foreign, value, findings)) references.push(one);
    }
  }
  const source = new LayeredSource(
    [
      { document, base: at, under: [] },
      { document, base: path, under: [] },
    ],
    [...path, 'type'],
  );
  reader.entities.push({
    kind,
    id: reader.readId(document, path, item['id']),
    fields,
    references,
    made: {},
    fromEnvironment: source.environmentOf(fields, findings.environment),
    source,
  });
}
