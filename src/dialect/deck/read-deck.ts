import type { Document } from '../../manifest/document.ts';
import type { RawEntity } from '../../model/assemble.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { isJsonObject, type JsonObject, type JsonPath } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import type { Location } from '../../model/location.ts';
import { readCustomEntities } from './custom-entities.ts';
import type { DeckInfo } from './deck-info.ts';
import { EntityReader } from './entity-reader.ts';
import { deckInfo, type Envelope } from './envelope.ts';
import { EnvironmentIndex } from './environment-index.ts';
import { Findings } from './findings.ts';
import { readEnvelopes } from './headers.ts';
import { readMemberships } from './memberships.ts';
import { topLevelKinds } from './nesting.ts';
import { readPartialLinks } from './partial-links.ts';
import { applyPatches, isPatchFile } from './patch/apply-patches.ts';
import { withoutRepeats } from './repeated-entities.ts';

/** What a reading of decK files depends on besides the files. */
export interface DeckOptions {
  /**
   * Whether the files are judged for no Kong in particular. Then what means only one thing is a warning at most, though
   * some Kong or decK refuses it: files in the formats of Kong 2.x and earlier, a parent named once more by its child.
   */
  readonly forAnyKong: boolean;
  /** Whether other values may stand for those of the environment, so that no id among them is expected to be one. */
  readonly valuesStandIn?: boolean;
  /**
   * Whether Kong wants a text in a field (by its path), so that a number or list that a variable brought is the text
   * that it was; no field does where it is left out.
   */
  readonly wantsText?: (kind: KindName, fields: JsonObject, path: JsonPath) => boolean;
}

/** What decK files declare. */
export interface DeckReading {
  /** In the order of the files' names, and of writing in each. */
  readonly raw: readonly RawEntity[];
  readonly info: DeckInfo;
  readonly diagnostics: readonly Diagnostic[];
  /** Places where what a variable brought was taken for the text that it was, whatever YAML makes of it. */
  readonly asTexts: readonly Location[];
}

/**
 * Reads decK files (deck.md 1) and those of a DB-less Kong: all documents together, in whatever order they come, with
 * the changes of patch files made. What cannot be read is reported and left out; what reads but means nothing is in
 * `raw`, for the rules to report. Documents that are empty are skipped.
 */
export function readDeck(documents: readonly Document[], options: DeckOptions): DeckReading {
  const findings = new Findings(new EnvironmentIndex());
  const sorted = documents.filter((document) => document.value !== null).sort(compareDocuments);
  const base = sorted.filter((document) => !isPatchFile(document));
  const ordered = applyPatches(base, sorted.filter(isPatchFile), findings);
  for (const document of ordered) {
    if (!isJsonObject(document.value)) findings.wrongShape(document, [], 'A decK file', 'a mapping', document.value);
  }
  const envelope = readEnvelopes(ordered, options.forAnyKong, findings);
  const info = deckInfo(envelope);
  const reader = new EntityReader(info, options, findings);
  for (const document of ordered) readEntities(document, reader, findings);
  readMemberships(reader, info.lookupTags.has('consumers'), findings);
  for (const document of ordered) {
    if (!isJsonObject(document.value)) continue;
    readPartialLinks(document, document.value['plugins_partials'] ?? null, reader, findings);
  }
  const raw = withoutRepeats(reader.entities, findings);
  checkWhole(raw, envelope, findings);
  return { raw, info, diagnostics: findings.list, asTexts: findings.asTexts };
}

function readEntities(document: Document, reader: EntityReader, findings: Findings): void {
  if (!isJsonObject(document.value)) return;
  for (const [key, value] of Object.entries(document.value)) {
    const kind = topLevelKinds.get(key);
    if (kind !== undefined) reader.list(document, [key], kind, value, null);
    else if (key === 'custom_entities') readCustomEntities(document, value, reader, findings);
  }
}

/** What depends on the headers and on all entities. */
function checkWhole(raw: readonly RawEntity[], envelope: Envelope, findings: Findings): void {
  const definition = raw.find((entity) => entity.kind === 'custom_plugins' || entity.kind === 'cloned_plugins');
  if (definition !== undefined && !envelope.pluginDefinitions) {
    findings.warning(
      'plugin-definitions',
      'decK takes plugin definitions only in files that say so',
      'Add include_plugin_definitions: true to _info, so that decK reads these files as well.',
      placesOf(definition),
    );
  }
  const transform = envelope.transform;
  if (transform?.value !== false) return;
  const hashed = raw.find((entity) => entity.kind === 'basicauth_credentials');
  if (hashed === undefined) return;
  findings.error(
    'hashed-credentials',
    '_transform: false says that passwords are hashed already, and such credentials cannot be delivered',
    'Remove _transform and write the passwords themselves, from the environment.',
    [transform.location, ...placesOf(hashed)],
  );
}

function placesOf(entity: RawEntity) {
  return entity.source === null ? [] : [entity.source.location];
}

function compareDocuments(a: Document, b: Document): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.index - b.index;
}
