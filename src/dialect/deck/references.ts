import type { Document } from '../../manifest/document.ts';
import type { RawReference, RawTarget } from '../../model/assemble.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, toPointer } from '../../model/json.ts';
import type { ForeignKey, KindName } from '../../model/kind.ts';
import { kinds } from '../../model/kinds.ts';
import type { Findings } from './findings.ts';

/** The keys by which a mapping names an entity besides its id, by the kind named; `name` where none are listed. */
const namingKeys: { readonly [K in KindName]?: readonly string[] } = {
  consumers: ['username', 'custom_id'],
  vaults: ['prefix'],
};

/** The references that one foreign key holds, in any of the forms of deck.md 1.4. Null and left out are unset. */
export function readForeignKey(
  document: Document,
  path: JsonPath,
  key: ForeignKey,
  value: Json,
  findings: Findings,
): readonly RawReference[] {
  if (value === null) return [];
  if (!key.list) {
    const to = readTarget(document, path, key.kind, value, findings);
    return to === null ? [] : [{ field: key.field, index: null, to, ...broughtAt(document, path, findings) }];
  }
  if (!isJsonArray(value)) {
    findings.wrongShape(document, path, key.field, 'a list', value);
    return [];
  }
  return value.flatMap((item, index) => {
    const at = [...path, index];
    const to = readTarget(document, at, key.kind, item, findings);
    return to === null ? [] : [{ field: key.field, index, to, ...broughtAt(document, at, findings) }];
  });
}

/** Whether the environment brought what is written at a path, as a part of a reference. */
export function broughtAt(
  document: Document,
  path: JsonPath,
  { environment }: Findings,
): Pick<RawReference, 'fromEnvironment'> {
  return environment.has(document, toPointer(path)) ? { fromEnvironment: true } : {};
}

/** What a text (a name or an id) or a mapping names; null, and a finding, where it names nothing. */
export function readTarget(
  document: Document,
  path: JsonPath,
  kind: KindName,
  written: Json,
  findings: Findings,
): RawTarget | null {
  const names = namingKeys[kind] ?? ['name'];
  const value = withTexts(document, path, written, findings);
  if (typeof value === 'string' && value !== '') return { nameOrId: value };
  if (isJsonObject(value)) {
    const known = ['id', ...names];
    const unknown = Object.keys(value).filter((key) => !known.includes(key) && key !== 'tags');
    for (const key of unknown) {
      findings.unknownKey(document, [...path, key], `a reference to a ${kinds[kind].label}`, known);
    }
    const target = objectTarget(value, names);
    if (target !== null || unknown.length > 0) return target;
  }
  const forms = ['id', ...names].map((name) => `{${name}: …}`).join(' or ');
  findings.error(
    'invalid-reference',
    `This names no ${kinds[kind].label}`,
    `Write a name or an id: ${forms}, or the bare text.`,
    [document.at(path)],
  );
  return null;
}

/** The value with what variables brought as texts, for that is what names and ids are. */
function withTexts(document: Document, path: JsonPath, value: Json, findings: Findings): Json {
  const texts = document.environmentTexts;
  if (texts === undefined || texts.size === 0 || isJsonArray(value)) return value;
  const own = (at: JsonPath, other: Json) => {
    const text = texts.get(toPointer(at));
    if (text !== undefined) findings.asTexts.push(document.at(at));
    return text ?? other;
  };
  if (!isJsonObject(value)) return own(path, value);
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, own([...path, key], inner)]));
}

function objectTarget(value: JsonObject, names: readonly string[]): RawTarget | null {
  const id = value['id'];
  if (typeof id === 'string' && id !== '') return { id };
  for (const key of names) {
    const name = value[key];
    if (typeof name === 'string' && name !== '') return { name };
  }
  return null;
}
