import type { Document } from '../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath } from '../../model/json.ts';
import type { Location } from '../../model/location.ts';
import type { Placed } from './deck-info.ts';
import { type Envelope, keepOne } from './envelope.ts';
import type { Findings } from './findings.ts';
import { checkFormatVersion } from './format-version.ts';
import { readInfo } from './info-section.ts';
import { topLevelKinds } from './nesting.ts';

/** The keys that say something about a file; all else at the top lists entities. */
const headerKeys = [
  '_format_version',
  '_transform',
  '_info',
  '_workspace',
  '_konnect',
  '_plugin_configs',
  '_comment',
  '_ignore',
] as const;

/** Lists at the top that are no kind of their own. */
export const otherLists: readonly string[] = ['custom_entities', 'plugins_partials'];

/** Reads the headers of all documents. Where two disagree, both places are reported and the first is kept. */
export function readEnvelopes(documents: readonly Document[], forAnyKong: boolean, findings: Findings): Envelope {
  const envelope: Envelope = {
    formatVersion: null,
    transform: null,
    workspace: null,
    controlPlane: null,
    pluginDefinitions: false,
    selectTags: new Map(),
    lookupTags: new Map(),
    defaults: new Map(),
    sharedConfigs: new Map(),
  };
  for (const document of documents) readEnvelope(document, envelope, forAnyKong, findings);
  const [first] = documents;
  const written = documents.some(({ value }) => isJsonObject(value) && Object.hasOwn(value, '_format_version'));
  // One that is no text has been reported.
  const judged = envelope.formatVersion !== null || !written;
  if (first !== undefined && judged) checkFormatVersion(envelope.formatVersion, first, forAnyKong, findings);
  const places = [...envelope.selectTags.values()];
  if (envelope.selectTags.size > maxSelectTags) {
    const message = `There are ${envelope.selectTags.size} select tags, and Kong filters by ${maxSelectTags} at most`;
    findings.error('too-many-select-tags', message, 'Use fewer: each of them is given to every entity.', places);
  }
  checkSelectTagsAgree(documents, findings);
  return envelope;
}

/**
 * decK, too, joins the tags of the files of one call; but files that it was given one by one are often put together in one
 * folder, and then mean something else.
 */
function checkSelectTagsAgree(documents: readonly Document[], findings: Findings): void {
  let first: { readonly tags: string; readonly location: Location } | null = null;
  for (const document of documents) {
    const tags = writtenSelectTags(document);
    if (tags === null) continue;
    const location = document.at(['_info', 'select_tags']);
    if (first === null) first = { tags, location };
    else if (first.tags !== tags) {
      const message = 'The select tags of two files differ, so each entity of all files gets those of both';
      const hint = 'For one destination each, give it its own files with `include`; else write the tags in one file.';
      findings.warning('files-disagree', message, hint, [location, first.location]);
      return;
    }
  }
}

/** The select tags of a document in one order; null where it has none. */
function writtenSelectTags({ value }: Document): string | null {
  const info = isJsonObject(value) ? value['_info'] : null;
  const tags = info !== undefined && isJsonObject(info) ? info['select_tags'] : null;
  return isJsonArray(tags) && tags.length > 0 ? JSON.stringify([...new Set(tags.map(String))].sort()) : null;
}

/** Kong's limit on the tags of one query. */
const maxSelectTags = 5;

function readEnvelope(document: Document, envelope: Envelope, forAnyKong: boolean, findings: Findings): void {
  if (!isJsonObject(document.value)) return;
  for (const [key, value] of Object.entries(document.value)) {
    if (topLevelKinds.has(key) || otherLists.includes(key)) continue;
    if (key === 'service_packages') reportServicePackages(document, value, forAnyKong, findings);
    else readHeader(document, key, value, envelope, findings);
  }
}

/** What decK wrote for the first Konnect (deck.md 1.2), which no destination has any more. */
function reportServicePackages(document: Document, value: Json, forAnyKong: boolean, findings: Findings): void {
  if (value === null || (isJsonArray(value) && value.length === 0)) return;
  const places = [document.at(['service_packages'], 'key')];
  const message = 'service_packages are of a Konnect that is no more, so nothing of them is delivered';
  const hint = 'Write their services under services.';
  if (forAnyKong) findings.warning('old-konnect', message, hint, places);
  else findings.error('old-konnect', message, hint, places);
}

function readHeader(document: Document, key: string, value: Json, envelope: Envelope, findings: Findings): void {
  switch (key) {
    case '_format_version':
      readText(document, [key], value, envelope.formatVersion, findings, (placed) => {
        envelope.formatVersion = placed;
      });
      return;
    case '_workspace':
      readText(document, [key], value, envelope.workspace, findings, (placed) => {
        envelope.workspace = placed;
      });
      return;
    case '_konnect':
      readKonnect(document, value, envelope, findings);
      return;
    case '_transform':
      if (value === null) return;
      if (typeof value !== 'boolean') findings.wrongShape(document, [key], '_transform', 'true or false', value);
      else if (envelope.transform?.value !== false) envelope.transform = { value, location: document.at([key]) };
      return;
    case '_plugin_configs':
      readSharedConfigs(document, value, envelope, findings);
      return;
    case '_info':
      readInfo(document, value, envelope, findings);
      return;
    case '_comment':
    case '_ignore':
      checkRemark(document, [key], value, findings);
      return;
    default:
      findings.unknownKey(document, [key], 'a decK file', fileKeys, isForeign(document) ? foreignHint : '');
  }
}

const fileKeys: readonly string[] = [...topLevelKinds.keys(), ...otherLists, ...headerKeys];

const foreignHint =
  'If the file is nothing of Kong’s, leave it out: name it in repository.ignore, or in a file .konvergeignore in the folder that is read.';

/** Whether a document has no key at all that a decK file has, so that it may well be something else. */
function isForeign({ value }: Document): boolean {
  return isJsonObject(value) && !Object.keys(value).some((key) => fileKeys.includes(key));
}

/** `_comment` is a text and `_ignore` a list of anything, as in a DB-less Kong's files; neither means anything. */
export function checkRemark(document: Document, path: JsonPath, value: Json, findings: Findings): void {
  if (value === null) return;
  if (path.at(-1) === '_comment') {
    if (typeof value !== 'string') findings.wrongShape(document, path, '_comment', 'a text', value);
  } else if (!isJsonArray(value)) findings.wrongShape(document, path, '_ignore', 'a list', value);
}

function readText(
  document: Document,
  path: JsonPath,
  written: Json,
  known: Placed<string> | null,
  findings: Findings,
  set: (placed: Placed<string>) => void,
): void {
  const key = String(path.at(-1));
  const value = findings.asText(document, path, written);
  if (value === null) return;
  if (typeof value !== 'string') {
    const hint = typeof value === 'number' ? ` Write it in quotes.` : '';
    findings.error('wrong-shape', `${key} has to be a text`, hint.trim(), [document.at(path)]);
    return;
  }
  if (value === '') return;
  const location = document.at(path);
  if (known === null) set({ value, location });
  else if (known.value !== value) {
    const message = `${key} is ${JSON.stringify(value)} here and ${JSON.stringify(known.value)} in another place`;
    findings.error('files-disagree', message, 'All files of one destination have to say the same.', [
      location,
      known.location,
    ]);
  }
}

function readKonnect(document: Document, value: Json, envelope: Envelope, findings: Findings): void {
  if (value === null) return;
  if (!isJsonObject(value)) {
    findings.wrongShape(document, ['_konnect'], '_konnect', 'a mapping', value);
    return;
  }
  const names = ['control_plane_name', 'runtime_group_name'];
  for (const key of Object.keys(value)) {
    if (!names.includes(key)) findings.unknownKey(document, ['_konnect', key], '_konnect', names);
  }
  const given = names.filter((name) => (value[name] ?? null) !== null);
  if (given.length > 1) {
    findings.error(
      'wrong-shape',
      '_konnect has both control_plane_name and runtime_group_name',
      'runtime_group_name is the old word; remove it.',
      names.map((name) => document.at(['_konnect', name])),
    );
  }
  const [name] = given;
  if (name === undefined) return;
  readText(document, ['_konnect', name], value[name] ?? null, envelope.controlPlane, findings, (placed) => {
    envelope.controlPlane = placed;
  });
}

function readSharedConfigs(document: Document, value: Json, envelope: Envelope, findings: Findings): void {
  if (value === null) return;
  if (!isJsonObject(value)) {
    findings.wrongShape(document, ['_plugin_configs'], '_plugin_configs', 'a mapping', value);
    return;
  }
  for (const [name, config] of Object.entries(value)) {
    const path = ['_plugin_configs', name];
    if (!isJsonObject(config)) {
      findings.wrongShape(document, path, 'A shared configuration', 'a mapping', config);
      continue;
    }
    const what = `the shared configuration ${JSON.stringify(name)}`;
    const next = { document, path, value: config };
    envelope.sharedConfigs.set(name, keepOne(envelope.sharedConfigs.get(name), next, what, findings));
  }
}
