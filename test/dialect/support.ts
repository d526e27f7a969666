import { withoutTextNumbers } from '../../src/build/text-numbers.ts';
import { readDeck } from '../../src/dialect/deck/read-deck.ts';
import { defaultManifestLimits } from '../../src/manifest/limits.ts';
import { parseFile } from '../../src/manifest/parse.ts';
import { expandFile } from '../../src/manifest/template/expand-file.ts';
import { resolveTemplates } from '../../src/manifest/templates.ts';
import { assemble } from '../../src/model/assemble.ts';
import { type Diagnostic, sortDiagnostics } from '../../src/model/diagnostic.ts';
import type { Reference } from '../../src/model/entity.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { allEntities, type State } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { isTextField } from '../../src/schema/text-field.ts';

const schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });

/** What files come to, in the order in which they are given. */
export interface Reading {
  readonly state: State;
  readonly diagnostics: readonly Diagnostic[];
  readonly info: ReturnType<typeof readDeck>['info'];
}

/** How files are read, as a case's `settings.json` has it. */
export interface ReadingSettings {
  readonly forAnyKong?: boolean;
  readonly environment?: { readonly [variable: string]: string };
}

/** Reads files given as name and text. */
export function readFiles(files: readonly (readonly [string, string])[], settings: ReadingSettings = {}): Reading {
  const { forAnyKong = false, environment = {} } = settings;
  const world = { environment: (name: string) => environment[name], standIns: 'never' } as const;
  const parsed = files.map(([file, text]) =>
    expandFile(parseFile(file, Buffer.from(text)), world, defaultManifestLimits),
  );
  const resolved = parsed
    .flatMap((file) => file.documents)
    .map((document) => resolveTemplates(document, world.environment));
  const reading = readDeck(
    resolved.map(({ document }) => document),
    { forAnyKong, wantsText: (kind, _, path) => isTextField(schemas, kind, {}, path) },
  );
  const state = assemble(reading.raw, {
    workspace: reading.info.workspace?.value ?? null,
    selectTags: reading.info.selectTags.map((tag) => tag.value),
  });
  const diagnostics = sortDiagnostics([
    ...parsed.flatMap((file) => file.diagnostics),
    ...withoutTextNumbers(
      resolved.flatMap((one) => one.diagnostics),
      reading.asTexts,
    ),
    ...reading.diagnostics,
  ]);
  return { state, diagnostics, info: reading.info };
}

/** The reading as a case's `expected.json` has it. */
export function summary({ state, diagnostics }: Reading): JsonObject {
  const entities: { [kind: string]: Json[] } = {};
  for (const entity of allEntities(state)) {
    const list = entities[entity.kind] ?? [];
    entities[entity.kind] = list;
    list.push({
      identity: entity.identity.replace(/^#[0-9a-f]{16}$/, '#none'),
      ...(entity.idGiven ? { id: entity.id } : {}),
      ...(Object.keys(entity.fields).length === 0 ? {} : { fields: entity.fields }),
      ...(entity.references.length === 0 ? {} : { references: Object.fromEntries(referencesOf(entity.references)) }),
    });
  }
  return {
    entities,
    diagnostics: diagnostics.map((diagnostic) => ({
      rule: diagnostic.rule,
      severity: diagnostic.severity,
      message: diagnostic.message,
      at: diagnostic.locations.map(({ file, line, column }) => `${file}:${line}:${column}`),
    })),
  };
}

function referencesOf(references: readonly Reference[]): [string, string][] {
  return references.map((reference) => [
    reference.index === null ? reference.field : `${reference.field}/${reference.index}`,
    `${reference.resolved ? '' : 'nothing: '}${reference.identity}`,
  ]);
}
