import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseFile } from '../../src/manifest/parse.ts';
import { resolveTemplates } from '../../src/manifest/templates.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import { fromPointer } from '../../src/model/json.ts';
import { shown } from './support.ts';

const folder = fileURLToPath(new URL('../cases/manifest/', import.meta.url));

/** A case: `input.yaml` or `input.json`, perhaps `environment.json`, and what is expected of them. */
interface Expected {
  readonly documents: readonly {
    readonly value: unknown;
    /** By JSON pointer: the places of the value and of its key. */
    readonly places?: { readonly [pointer: string]: readonly [value: string, key: string] };
    readonly fromEnvironment?: { readonly [pointer: string]: string };
  }[];
  /** Severity, rule, places and message. */
  readonly findings: readonly string[];
}

describe('files', () => {
  it.each(readdirSync(folder))('%s', (name) => {
    const files = readdirSync(join(folder, name));
    const input = files.find((file) => file.startsWith('input.')) ?? 'input.yaml';
    const load = (file: string): unknown => JSON.parse(readFileSync(join(folder, name, file), 'utf8'));
    const expected = load('expected.json') as Expected;
    const environment = files.includes('environment.json') ? (load('environment.json') as Record<string, string>) : {};

    const parsed = parseFile(input, readFileSync(join(folder, name, input)));
    const resolved = parsed.documents.map((document) => resolveTemplates(document, (name) => environment[name]));
    const diagnostics = [...parsed.diagnostics, ...resolved.flatMap((document) => document.diagnostics)];

    expect(diagnostics.map(line)).toEqual(expected.findings);
    expect(resolved.map(({ document }) => document.value)).toEqual(expected.documents.map(({ value }) => value));
    for (const [index, { places = {}, fromEnvironment }] of expected.documents.entries()) {
      const document = resolved[index]?.document;
      const found = Object.keys(places).map((pointer) => {
        const path = fromPointer(pointer);
        return [pointer, [document?.at(path), document?.at(path, 'key')].map((at) => (at ? shown(at) : null))];
      });
      expect(Object.fromEntries(found)).toEqual(places);
      if (fromEnvironment !== undefined) {
        expect(Object.fromEntries(document?.fromEnvironment ?? [])).toEqual(fromEnvironment);
      }
    }
  });
});

function line({ severity, rule, locations, message }: Diagnostic): string {
  return `${severity} ${rule} ${locations.map(shown).join(' ')} ${message}`;
}
