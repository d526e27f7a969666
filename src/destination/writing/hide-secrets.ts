import { isCode } from '../../model/code-fields.ts';
import type { Entity } from '../../model/entity.ts';
import { fromPointer, isJsonArray, isJsonObject, type Json } from '../../model/json.ts';
import { secretTexts } from '../../model/secret.ts';
import { allEntities, type State } from '../../model/state.ts';
import { looksSecret } from '../../plan/secrets.ts';
import { Redactor, withoutThese } from '../../platform/redact.ts';
import { entitySchema } from '../../schema/entity-schema.ts';
import type { Schemas } from '../../schema/schema.ts';
import { secretPaths } from '../../schema/secret-paths.ts';

/** All that is known to be secret when a server's words are shown. */
export interface KnownSecrets {
  readonly schemas: Schemas;
  /** What the destination is reached with: tokens, passwords, values of headers. */
  readonly connection: readonly string[];
  /** What was read of the destination last: its words may be about what is there already. */
  readonly live: readonly State[];
}

/**
 * A server's words without any secret: of the entity that they are about, however short; of every other entity, wanted
 * or live; and of the connection. A server may repeat the whole request, or what it compared it with.
 */
export function hideSecrets(words: string, known: KnownSecrets, state: State, entity: Entity | null): string {
  const own = entity === null ? [] : secretsOf(entity, known.schemas);
  const hidden = withoutThese(withoutCode(words), own);
  const others = [state, ...known.live].map((one) => redactorOf(one, known.schemas));
  return [...others, connectionRedactor(known.connection)].reduce((text, redactor) => redactor.redact(text), hidden);
}

/** A server's words without what it is reached with. */
export function withoutSecrets(words: string, connection: readonly string[]): string {
  return connectionRedactor(connection).redact(words);
}

/**
 * Lua names what it cannot read by how it begins, and then the word that it stumbled over: `[string "local key…"]:1:
 * unexpected symbol near 'x'`. Both are of a plugin's code, in which anything may stand.
 */
function withoutCode(words: string): string {
  if (!words.includes('[string ')) return words;
  return words
    .replace(/(\[string (\\*)").*?(\2"\](?=:\d))/gs, '$1***$3')
    .replace(/( near \\*')(?!<eof>)(.*)(')/gs, '$1***$3');
}

const made = new WeakMap<State, { readonly schemas: Schemas; readonly redactor: Redactor }>();

/** One redactor for a whole state: a refusal may be about thousands of its entities. */
function redactorOf(state: State, schemas: Schemas): Redactor {
  const known = made.get(state);
  if (known !== undefined && known.schemas === schemas) return known.redactor;
  const redactor = new Redactor();
  for (const entity of allEntities(state)) {
    for (const secret of secretsOf(entity, schemas)) redactor.register(secret);
  }
  made.set(state, { schemas, redactor });
  return redactor;
}

const connections = new WeakMap<readonly string[], Redactor>();

function connectionRedactor(secrets: readonly string[]): Redactor {
  const known = connections.get(secrets);
  if (known !== undefined) return known;
  const redactor = new Redactor();
  for (const secret of secrets) redactor.register(secret);
  connections.set(secrets, redactor);
  return redactor;
}

/** What is secret in an entity: from the environment, by the registry, by its schema, or by what it is called. */
function secretsOf(entity: Entity, schemas: Schemas): readonly string[] {
  const schema = entitySchema(schemas, entity.kind, entity.fields);
  const patterns = schema === undefined ? [] : secretPaths(schema).map(fromPointer);
  const { name } = entity.fields;
  const code = entity.kind === 'plugins' && typeof name === 'string' ? codeIn(name, entity.fields, []) : [];
  return [...secretTexts(entity, patterns), ...likelySecrets(entity.fields, []), ...code];
}

/** The code of a plugin, whole and line by line. */
function codeIn(plugin: string, value: Json, path: readonly string[]): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((item, at) => codeIn(plugin, item, [...path, String(at)]));
  if (isJsonObject(value)) return Object.entries(value).flatMap(([key, item]) => codeIn(plugin, item, [...path, key]));
  if (typeof value !== 'string' || !isCode(plugin, path, value)) return [];
  const lines = value.split(/\r?\n/).map((line) => line.trim());
  return [value, ...lines.filter((line) => line.length >= shortestLine)];
}

/** Shorter lines of code (`end`) are in too many words. */
const shortestLine = 6;

/** Values of headers that are named like secrets, in a map of headers or as `name:value`. */
function likelySecrets(value: Json, path: readonly string[]): readonly string[] {
  if (isJsonArray(value)) return value.flatMap((item, at) => likelySecrets(item, [...path, String(at)]));
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, item]) => likelySecrets(item, [...path, key]));
  }
  const inHeaders = path.slice(0, -1).some((step) => /header/i.test(step));
  if (typeof value !== 'string' || !looksSecret(path, inHeaders, value)) return [];
  const behindName = /^\s*[\w-]+\s*[:;=,\s](.*)$/s.exec(value)?.[1];
  const parts = behindName === undefined ? [value] : [value, behindName];
  return parts.flatMap(withoutScheme);
}

/** A header's value, and what follows the scheme in it (`Bearer …`). */
export function withoutScheme(value: string): readonly string[] {
  const text = value.trim();
  const [, credentials] = /^[A-Za-z][\w-]*\s+(\S.*)$/.exec(text) ?? [];
  return credentials === undefined ? [text] : [text, credentials];
}
