import { customKinds } from '../../dialect/deck/custom-entities.ts';
import { nestings, topLevelKinds } from '../../dialect/deck/nesting.ts';
import type { Document } from '../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import { kindsInOrder } from '../../model/kinds.ts';
import type { Schemas } from '../../schema/schema.ts';
import { type Hide, hideFields, isPublicInEveryPlugin, mayHoldUserinfo } from './public-fields.ts';

/** Keys of a document that say something of the whole, and hold no secret. */
const ofTheWhole = ['_format_version', '_transform', '_workspace', '_konnect', '_comment', '_ignore'];

/** Keys of entities that are this dialect's own. */
const ofEntities = ['_comment', '_ignore', '_config'];

/** Hides in a decK document every value that is not known to be public. */
export function hideInDeck(document: Document, schemas: Schemas, hide: Hide): void {
  const { value } = document;
  if (!isJsonObject(value)) {
    hide([]);
    return;
  }
  const walk: Walk = { schemas, hide };
  for (const [key, inner] of Object.entries(value)) {
    const kind = topLevelKinds.get(key);
    if (kind !== undefined) hideList(walk, kind, inner, [key]);
    else if (key === 'custom_entities') hideCustom(walk, inner, [key]);
    else if (key === '_plugin_configs') hideShared(walk, inner, [key]);
    else if (key === '_info') hideInfo(walk, inner, [key]);
    else if (key === 'patches') hidePatches(walk, inner, [key]);
    else if (key === 'plugins_partials') continue;
    else if (!ofTheWhole.includes(key)) hide([key]);
  }
}

interface Walk {
  readonly schemas: Schemas;
  readonly hide: Hide;
}

function hideList(walk: Walk, kind: KindName, value: Json, path: JsonPath): void {
  if (!isJsonArray(value)) {
    walk.hide(path);
    return;
  }
  for (const [index, item] of value.entries()) hideEntity(walk, kind, item, [...path, index]);
}

function hideEntity(walk: Walk, kind: KindName, value: Json, path: JsonPath): void {
  if (!isJsonObject(value)) {
    // Only SNIs may be written as bare names.
    if (kind !== 'snis' || typeof value !== 'string') walk.hide(path);
    return;
  }
  const own: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const nesting = nestings.get(kind)?.get(key);
    if (nesting !== undefined) hideList(walk, nesting.kind, inner, [...path, key]);
    else if (kind === 'services' && key === 'url') {
      if (typeof inner !== 'string' || mayHoldUserinfo(inner)) walk.hide([...path, key]);
    } else if (kind === 'plugins' && key === 'partials') hideLinks(walk, inner, [...path, key]);
    else if (!ofEntities.includes(key) || typeof inner === 'object') own.push(key);
  }
  hideFields(walk.schemas, kind, value, own, path, walk.hide);
}

/** Links to partials: what they name, and where it goes. */
function hideLinks(walk: Walk, value: Json, path: JsonPath): void {
  const isLink = (item: Json) =>
    isJsonObject(item) && Object.entries(item).every(([key, inner]) => linkKeys.includes(key) && isText(inner));
  if (!isJsonArray(value) || !value.every(isLink)) walk.hide(path);
}

const linkKeys = ['id', 'name', 'path'];

function isText(value: Json): boolean {
  return value === null || typeof value === 'string';
}

function hideCustom(walk: Walk, value: Json, path: JsonPath): void {
  for (const [index, item] of (isJsonArray(value) ? value : []).entries()) {
    const at = [...path, index];
    if (!isJsonObject(item)) walk.hide(at);
    else {
      const kind = customKinds.find((candidate) => candidate === item['type']);
      for (const [key, inner] of Object.entries(item)) {
        if (key === 'id' || key === 'type') continue;
        if (key !== 'fields' || kind === undefined || !isJsonObject(inner)) walk.hide([...at, key]);
        else hideFields(walk.schemas, kind, inner, Object.keys(inner), [...at, key], walk.hide);
      }
    }
  }
  if (!isJsonArray(value)) walk.hide(path);
}

/** Shared configurations: of which plugin they are is said elsewhere. */
function hideShared(walk: Walk, value: Json, path: JsonPath): void {
  if (!isJsonObject(value)) {
    walk.hide(path);
    return;
  }
  for (const [name, config] of Object.entries(value)) {
    if (isJsonObject(config)) hideUnshared(walk, config, [...path, name], []);
    else walk.hide([...path, name]);
  }
}

function hideUnshared(walk: Walk, value: Json, path: JsonPath, within: JsonPath): void {
  if (isJsonArray(value)) {
    for (const [index, item] of value.entries()) hideUnshared(walk, item, [...path, index], [...within, index]);
  } else if (isJsonObject(value)) {
    for (const [key, item] of Object.entries(value)) hideUnshared(walk, item, [...path, key], [...within, key]);
  } else if (mayHoldUserinfo(value) || !isPublicInEveryPlugin(walk.schemas, within)) walk.hide(path);
}

function hideInfo(walk: Walk, value: Json, path: JsonPath): void {
  if (!isJsonObject(value)) {
    walk.hide(path);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'defaults') {
      if (!infoKeys.includes(key)) walk.hide([...path, key]);
      continue;
    }
    for (const [singular, fields] of isJsonObject(inner) ? Object.entries(inner) : []) {
      const kind = kindsInOrder.find((candidate) => candidate.singular === singular);
      const at = [...path, key, singular];
      if (kind === undefined || !isJsonObject(fields)) walk.hide(at);
      else hideFields(walk.schemas, kind.name, fields, Object.keys(fields), at, walk.hide);
    }
    if (!isJsonObject(inner)) walk.hide([...path, key]);
  }
}

const infoKeys = ['select_tags', 'default_lookup_tags', 'include_plugin_definitions'];

/** Patches: what they put in, and where that is, is not told apart from secrets here. */
function hidePatches(walk: Walk, value: Json, path: JsonPath): void {
  if (!isJsonArray(value)) {
    walk.hide(path);
    return;
  }
  for (const [index, patch] of value.entries()) {
    if (!isJsonObject(patch)) walk.hide([...path, index]);
    else for (const key of Object.keys(patch)) if (!patchKeys.includes(key)) walk.hide([...path, index, key]);
  }
}

const patchKeys = ['selectors', 'remove', '_comment', '_ignore'];
