import type { Document } from '../../manifest/document.ts';
import type { Diagnostic, EntityName, Severity } from '../../model/diagnostic.ts';
import { isJsonArray, isJsonObject, type Json, type JsonPath, toPointer } from '../../model/json.ts';
import type { Location } from '../../model/location.ts';
import { nearestWord } from '../../model/suggest.ts';
import type { EnvironmentIndex } from './environment-index.ts';

/** What this dialect reports, by the name of the check. The names never change meaning. */
export type DeckRule =
  | 'format-version'
  | 'wrong-shape'
  | 'unknown-key'
  | 'misplaced-list'
  | 'invalid-id'
  | 'invalid-reference'
  | 'nested-reference'
  | 'invalid-url'
  | 'unknown-shared-config'
  | 'custom-entity-type'
  | 'plugin-definitions'
  | 'forbidden-default'
  | 'hashed-credentials'
  | 'policy-overrides'
  | 'too-many-select-tags'
  | 'files-disagree'
  | 'old-konnect'
  | 'invalid-patch'
  | 'unused-patch'
  | 'consumer-copies-differ'
  | 'repeated-entity';

/** The findings of one reading, in the order in which they were made. */
export class Findings {
  readonly list: Diagnostic[] = [];
  readonly environment: EnvironmentIndex;
  /** Places whose values were taken for the texts that they came from, so that it is no matter what numbers they make. */
  readonly asTexts: Location[] = [];

  constructor(environment: EnvironmentIndex) {
    this.environment = environment;
  }

  error(rule: DeckRule, message: string, hint: string, locations: readonly Location[]): void {
    this.add('error', rule, message, hint, locations);
  }

  warning(
    rule: DeckRule,
    message: string,
    hint: string,
    locations: readonly Location[],
    entities: readonly EntityName[] = [],
  ): void {
    this.add('warning', rule, message, hint, locations, entities);
  }

  /** A key that nothing knows, with what was probably meant, or `otherwise`. */
  unknownKey(document: Document, path: JsonPath, where: string, known: Iterable<string>, otherwise = ''): void {
    const key = String(path.at(-1));
    const nearest = nearestWord(key, known);
    const meant =
      nearest === undefined ? 'Remove it, or correct its name.' : `Did you mean ${JSON.stringify(nearest)}?`;
    const hint = otherwise === '' ? meant : `${meant} ${otherwise}`;
    this.error('unknown-key', `${JSON.stringify(key)} is no key of ${where}`, hint, [document.at(path, 'key')]);
  }

  /** A value of another type than the format has in this place. */
  wrongShape(document: Document, path: JsonPath, what: string, wanted: string, value: Json): void {
    this.error(
      'wrong-shape',
      `${what} has to be ${wanted}, and this is ${typeWord(value)}`,
      'Check the indentation and the dashes.',
      [document.at(path)],
    );
  }

  /**
   * A value where a text is wanted: where a variable brought what YAML reads as a number, say, the text that it brought,
   * which is what was meant.
   */
  asText(document: Document, path: JsonPath, value: Json): Json {
    if (typeof value === 'string' || value === null) return value;
    const text = this.environment.textsBelow(document, toPointer(path)).find(([below]) => below === '')?.[1];
    if (text === undefined) return value;
    this.asTexts.push(document.at(path));
    return text;
  }

  /** A short text for a message: the value in quotes, or the fact that it is not shown. */
  shown(document: Document, path: JsonPath, text: string): string {
    return this.environment.has(document, toPointer(path)) ? 'a value from the environment' : JSON.stringify(text);
  }

  private add(
    severity: Severity,
    rule: DeckRule,
    message: string,
    hint: string,
    locations: readonly Location[],
    entities: readonly EntityName[] = [],
  ): void {
    this.list.push({ rule, severity, message: `${message}.`, hint, locations, entities });
  }
}

function typeWord(value: Json): string {
  if (value === null) return 'null';
  if (isJsonArray(value)) return 'a list';
  if (isJsonObject(value)) return 'a mapping';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'number' ? 'a number' : 'a text';
}
