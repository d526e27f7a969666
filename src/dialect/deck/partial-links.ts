import type { Document } from '../../manifest/document.ts';
import type { RawEntity } from '../../model/assemble.ts';
import { isUuid } from '../../model/derived-id.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath } from '../../model/json.ts';
import type { EntityReader } from './entity-reader.ts';
import type { Findings } from './findings.ts';

const keys = ['id', 'plugin', 'partial', 'path'];

/**
 * Reads a DB-less Kong's `plugins_partials` (`{plugin, partial, path}`) into the `partials` of the plugins that they
 * name, where decK writes them (deck.md 1.2). To be called when all plugins are read.
 */
export function readPartialLinks(document: Document, value: Json, reader: EntityReader, findings: Findings): void {
  const root = 'plugins_partials';
  if (value === null) return;
  if (!isJsonArray(value)) {
    findings.wrongShape(document, [root], root, 'a list', value);
    return;
  }
  for (const [index, link] of value.entries()) readPartialLink(document, [root, index], link, reader, findings);
}

function readPartialLink(document: Document, path: JsonPath, link: Json, reader: EntityReader, findings: Findings) {
  if (!isJsonObject(link)) {
    findings.wrongShape(document, path, 'A link of a plugin to a partial', 'a mapping', link);
    return;
  }
  for (const key of Object.keys(link)) {
    if (!keys.includes(key)) findings.unknownKey(document, [...path, key], 'plugins_partials', keys);
  }
  const pluginId = idOf(link['plugin']);
  const partial = idOf(link['partial']);
  const index = reader.entities.findIndex((entity) => isPlugin(entity, pluginId));
  const plugin = reader.entities[index];
  if (plugin === undefined || partial === null) {
    const at = [...path, plugin === undefined ? 'plugin' : 'partial'];
    const what = plugin === undefined ? 'plugin' : 'partial';
    findings.error('invalid-reference', `This names no ${what} of these files`, `Write the id of a ${what}.`, [
      document.at(at),
    ]);
    return;
  }
  const linked = plugin.fields['partials'];
  const entry = {
    ...(isUuid(partial) ? { id: partial } : { name: partial }),
    ...(typeof link['path'] === 'string' ? { path: link['path'] } : {}),
  };
  const partials = [...(isJsonArray(linked) ? linked : []), entry];
  reader.entities[index] = { ...plugin, fields: { ...plugin.fields, partials } };
}

function isPlugin(entity: RawEntity, id: string | null): boolean {
  return entity.kind === 'plugins' && id !== null && entity.id?.toLowerCase() === id.toLowerCase();
}

function idOf(value: Json | undefined): string | null {
  if (typeof value === 'string' && value !== '') return value;
  const id = isJsonObject(value) ? value['id'] : undefined;
  return typeof id === 'string' && id !== '' ? id : null;
}
