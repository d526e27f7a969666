import {
  type AssembleOptions,
  assemble,
  type RawEntity,
  type RawReference,
  type RawTarget,
} from '../../src/model/assemble.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { type JsonObject, toPointer } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import type { Location, Source } from '../../src/model/location.ts';
import { type RulesInput, runRules } from '../../src/rules/run.ts';
import type { Schemas } from '../../src/schema/schema.ts';

/** An entity written at `file:line`; each of its fields has its place on that line, told apart by the pointer. */
export function written(
  kind: KindName,
  place: string,
  fields: JsonObject,
  references: { readonly [field: string]: RawTarget } = {},
  more: Partial<RawEntity> = {},
): RawEntity {
  return {
    kind,
    id: null,
    fields,
    references: Object.entries(references).map(([field, to]): RawReference => ({ field, index: null, to })),
    made: {},
    fromEnvironment: new Map(),
    source: sourceAt(place),
    ...more,
  };
}

function sourceAt(place: string): Source {
  const [file = '', line = '1'] = place.split(':');
  const at = (pointer: string): Location => ({
    file,
    line: Number(line),
    column: 3,
    endLine: Number(line),
    endColumn: 9,
    pointer,
  });
  return { location: at(''), at: (path) => at(toPointer(path)) };
}

/** Schemas that know nothing, for rules that need none. */
export const noSchemas: Schemas = {
  version: '3.9',
  edition: 'enterprise',
  router: 'traditional_compatible',
  entity: () => undefined,
  plugin: () => undefined,
  vault: () => undefined,
  partial: () => undefined,
  pluginNames: [],
};

/** What the rules say about raw entities. */
export function diagnosticsOf(
  raw: readonly RawEntity[],
  input: Partial<RulesInput> = {},
  options: Partial<AssembleOptions> = {},
): readonly Diagnostic[] {
  const state = assemble(raw, { workspace: null, selectTags: [], ...options });
  return runRules({ state, schemas: noSchemas, ownsAll: true, instant: 0, overrides: {}, ...input });
}

/** A diagnostic in one line: rule, severity, and every place as `file:line/pointer`. */
export function brief(diagnostic: Diagnostic): string {
  const places = diagnostic.locations.map((place) => `${place.file}:${place.line}${place.pointer ?? ''}`);
  return `${diagnostic.rule} ${diagnostic.severity} ${places.join(' ')}`;
}
