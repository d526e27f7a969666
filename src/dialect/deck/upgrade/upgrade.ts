import type { Document } from '../../../manifest/document.ts';
import { isJsonArray, isJsonObject, type JsonObject, type JsonPath } from '../../../model/json.ts';
import type { KindName } from '../../../model/kind.ts';
import { wasRegexPath } from '../../../model/renamed-fields.ts';
import { currentFormat } from '../format-version.ts';
import { nestings, topLevelKinds } from '../nesting.ts';
import { upgradePlugin } from './plugin-fields.ts';
import { TextEdits } from './text-edits.ts';
import { type FieldMoves, renamedKey, type Upgrade, type UpgradeNote } from './upgrade-parts.ts';

/** A file after its upgrade; `text` is the very text that it was where nothing is to be rewritten. */
export interface UpgradedFile {
  readonly text: string;
  readonly notes: readonly UpgradeNote[];
}

/** Whether the files are in a format of Kong 2.x or earlier, and whether any of them says so. */
export interface FormatOfFiles {
  readonly isOld: boolean;
  readonly isWritten: boolean;
}

/** The format that the files of one destination are in: what one of them says holds for all (deck.md 1.1). */
export function formatOf(documents: readonly Document[]): FormatOfFiles {
  const versions = documents.flatMap(({ value }) => (isJsonObject(value) ? [value['_format_version']] : []));
  const written = versions.filter((version) => version !== undefined && version !== null);
  return { isOld: !written.some((version) => version === currentFormat), isWritten: written.length > 0 };
}

/**
 * Rewrites what Kong 3.x wants otherwise than Kong 2.x in one file: the format, paths that are regular expressions, and
 * fields of plugins that were renamed, moved or removed. Edits the text at the places of what it changes; comments and
 * layout stay. `text` is the file's, `moves` says where newer fields stand for older ones.
 */
export function upgradeFile(
  documents: readonly Document[],
  text: string,
  format: FormatOfFiles,
  moves: FieldMoves,
): UpgradedFile {
  const edits = new TextEdits(text);
  const notes: UpgradeNote[] = [];
  for (const document of documents) {
    if (!isJsonObject(document.value)) continue;
    const upgrade: Upgrade = { document, edits, notes, moves };
    const version = document.value['_format_version'] ?? null;
    upgradeHeader(upgrade, document.value, format);
    const isOld = version === null ? format.isOld : version !== currentFormat;
    for (const [key, value] of Object.entries(document.value)) {
      const kind = topLevelKinds.get(key);
      if (kind !== undefined && isJsonArray(value)) upgradeList(upgrade, kind, [key], isOld);
    }
  }
  const sorted = notes.sort((a, b) => a.location.line - b.location.line || a.location.column - b.location.column);
  // What several places share by an alias is told of once.
  const keyOf = ({ location, message }: UpgradeNote) => `${location.line}:${location.column} ${message}`;
  const distinct = [...new Map(sorted.map((note) => [keyOf(note), note])).values()];
  return { text: edits.isEmpty ? text : edits.apply(), notes: distinct };
}

function upgradeHeader({ document, edits, notes }: Upgrade, value: JsonObject, format: FormatOfFiles): void {
  const version = value['_format_version'] ?? null;
  if (version !== null && version !== currentFormat) {
    const location = document.at(['_format_version']);
    edits.replace(location, `"${currentFormat}"`);
    notes.push({ location, message: `_format_version is now "${currentFormat}"`, byHand: false });
  } else if (version === null && !format.isWritten) {
    const location = document.at([]);
    const start = edits.offset(location.line, location.column);
    const isBracketed = edits.text.startsWith('{', start);
    const line = `_format_version: "${currentFormat}"${edits.newline}`;
    if (isBracketed) edits.insert(start + 1, `"_format_version": "${currentFormat}", `);
    else edits.insert(start, line);
    notes.push({ location, message: `_format_version is now "${currentFormat}"`, byHand: false });
  }
  const konnect = value['_konnect'];
  if (!isJsonObject(konnect) || konnect['runtime_group_name'] === undefined || 'control_plane_name' in konnect) return;
  const location = document.at(['_konnect', 'runtime_group_name'], 'key');
  edits.replace(location, renamedKey(edits.at(location), 'control_plane_name'));
  notes.push({ location, message: 'runtime_group_name is now control_plane_name', byHand: false });
}

function upgradeList(upgrade: Upgrade, kind: KindName, path: JsonPath, isOld: boolean): void {
  const list = at(upgrade.document, path);
  if (!isJsonArray(list)) return;
  for (const [index, entity] of list.entries()) {
    if (!isJsonObject(entity)) continue;
    const own = [...path, index];
    if (kind === 'routes' && isOld) upgradePaths(upgrade, entity, own);
    if (kind === 'plugins') upgradePlugin(upgrade, entity, own);
    for (const [key, nesting] of nestings.get(kind) ?? []) {
      if (entity[key] !== undefined) upgradeList(upgrade, nesting.kind, [...own, key], isOld);
    }
  }
}

/** Kong 3.x takes a path for a regular expression only where it begins with `~` (deck.md 1.7). */
function upgradePaths({ document, edits, notes }: Upgrade, route: JsonObject, path: JsonPath): void {
  const paths = route['paths'];
  if (!isJsonArray(paths)) return;
  for (const [index, value] of paths.entries()) {
    if (typeof value !== 'string' || !wasRegexPath(value)) continue;
    const location = document.at([...path, 'paths', index]);
    const written = edits.at(location);
    const message = 'a path that is a regular expression begins with ~';
    if (value.includes('${{') || /^[|>&*!]/.test(written)) {
      notes.push({ location, message, byHand: true });
      continue;
    }
    edits.replace(location, /^["']/.test(written) ? `${written.charAt(0)}~${written.slice(1)}` : `~${written}`);
    notes.push({ location, message, byHand: false });
  }
}

function at({ value }: Document, path: JsonPath) {
  return path.reduce<Document['value'] | undefined>((current, step) => {
    if (isJsonArray(current)) return current[Number(step)];
    return isJsonObject(current) ? current[step] : undefined;
  }, value);
}
