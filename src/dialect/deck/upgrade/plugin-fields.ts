import { isJsonObject, type Json, type JsonObject, type JsonPath } from '../../../model/json.ts';
import { renamedFields } from '../../../model/renamed-fields.ts';
import { renamedKey, type Upgrade } from './upgrade-parts.ts';

/** Rewrites the fields of one plugin that were renamed, moved or removed. */
export function upgradePlugin(upgrade: Upgrade, plugin: JsonObject, path: JsonPath): void {
  if (plugin['run_on'] !== undefined) removeField(upgrade, [...path, 'run_on'], 'run_on');
  const { name, config } = plugin;
  if (typeof name !== 'string' || !isJsonObject(config)) return;
  const base = [...path, 'config'];
  const nested = new Map<string, { readonly field: string; readonly to: string }[]>();
  for (const field of Object.keys(config)) {
    const renamed = Object.hasOwn(renamedFields(name), field) ? renamedFields(name)[field] : undefined;
    const moved = renamed === undefined ? upgrade.moves(name, field) : renamed === null ? null : [renamed];
    if (renamed === null) removeField(upgrade, [...base, field], field);
    if (moved === null) continue;
    const [first, second, ...more] = moved;
    if (first === undefined) continue;
    if (second === undefined) renameField(upgrade, config, base, field, first);
    else if (more.length > 0) byHand(upgrade, [...base, field], `${field} is now ${moved.join('.')}`);
    else nested.set(first, [...(nested.get(first) ?? []), { field, to: second }]);
  }
  for (const [record, fields] of nested) moveFields(upgrade, config, base, record, fields);
}

function renameField(upgrade: Upgrade, config: JsonObject, base: JsonPath, field: string, to: string): void {
  const { document, edits, notes } = upgrade;
  const message = `${field} is now ${to}`;
  const location = document.at([...base, field], 'key');
  if (config[to] !== undefined) {
    byHand(upgrade, [...base, field], `${message}, which is there as well`);
    return;
  }
  edits.replace(location, renamedKey(edits.at(location), to));
  notes.push({ location, message, byHand: false });
}

/** Takes out a field that has lines for itself. */
function removeField(upgrade: Upgrade, path: JsonPath, field: string): void {
  const { document, edits, notes } = upgrade;
  const key = document.at(path, 'key');
  const value = document.at(path);
  const message = `${field} is no longer there`;
  if (edits.before(key).trim() !== '' || value.endLine !== key.line) {
    byHand(upgrade, path, message);
    return;
  }
  edits.replaceLines(key.line, key.line, '');
  notes.push({ location: key, message, byHand: false });
}

/** Puts fields into a record, in the place of the first of them or where the record is. */
function moveFields(
  upgrade: Upgrade,
  config: JsonObject,
  base: JsonPath,
  record: string,
  fields: readonly { readonly field: string; readonly to: string }[],
): void {
  const { document, edits, notes } = upgrade;
  const there = config[record];
  const lines = fields.map(({ field, to }) => {
    const key = document.at([...base, field], 'key');
    return { field, to, key, value: config[field] ?? null, isPlain: isOneLine(upgrade, [...base, field]) };
  });
  const place = placeOf(upgrade, base, record, there);
  const fits = place !== null && lines.every(({ isPlain, to }) => isPlain && (!isJsonObject(there) || !(to in there)));
  if (!fits) {
    for (const { field, to } of fields) byHand(upgrade, [...base, field], `${field} is now ${record}.${to}`);
    return;
  }
  const [first] = lines;
  if (first === undefined) return;
  const own = edits.before(first.key);
  const indentation = place.indentation ?? `${own}  `;
  const moved = lines
    .map(
      ({ to, key }) =>
        `${indentation}${renamedKey(edits.at(key), to)}${edits.restOfLine(key.line, key.endColumn)}${edits.newline}`,
    )
    .join('');
  if (place.line === null)
    edits.replaceLines(first.key.line, first.key.line, `${own}${record}:${edits.newline}${moved}`);
  else edits.insert(edits.offset(place.line, 1), moved);
  for (const { key } of place.line === null ? lines.slice(1) : lines) edits.replaceLines(key.line, key.line, '');
  for (const { field, to, key } of lines) {
    notes.push({ location: key, message: `${field} is now ${record}.${to}`, byHand: false });
  }
}

/** Where the record is, or is to be: the line to put fields before, and their indentation; null where none can be. */
function placeOf(
  { document, edits }: Upgrade,
  base: JsonPath,
  record: string,
  there: Json | undefined,
): { readonly line: number | null; readonly indentation: string | null } | null {
  if (there === undefined) return { line: null, indentation: null };
  const [child] = isJsonObject(there) ? Object.keys(there) : [];
  if (child === undefined) return null;
  const key = document.at([...base, record, child], 'key');
  const before = edits.before(key);
  return before.trim() === '' ? { line: key.line, indentation: before } : null;
}

/** Whether a field has one line for itself, so that it can be moved as it is, with the comment behind it. */
function isOneLine({ document, edits }: Upgrade, path: JsonPath): boolean {
  const key = document.at(path, 'key');
  const value = document.at(path);
  return edits.before(key).trim() === '' && value.line === key.line && value.endLine === key.line;
}

function byHand({ document, notes }: Upgrade, path: JsonPath, message: string): void {
  notes.push({ location: document.at(path, 'key'), message, byHand: true });
}
