import { join } from 'node:path';
import fc from 'fast-check';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import type { Built } from '../../src/build/built.ts';
import { hiddenOf } from '../../src/build/shown/hidden-values.ts';
import { isJsonArray, isJsonObject, type Json } from '../../src/model/json.ts';
import { renderDiagnosticsText } from '../../src/render/diagnostics-text.ts';
import { rules } from '../../src/rules/registry.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { type BuildingFor, buildFiles, filesUnder } from './building.ts';

const root = new URL('../cases/rules/', import.meta.url).pathname;
/** How long each property runs; KONVERGE_FUZZ_SECONDS makes it longer. */
const milliseconds = Number(process.env['KONVERGE_FUZZ_SECONDS'] ?? 5) * 1000;
const limits = { numRuns: 1_000_000, interruptAfterTimeLimit: milliseconds, markInterruptAsFailure: false } as const;

const texts = rules.flatMap(({ name }) =>
  ['valid', 'invalid'].flatMap((part) => [...filesUnder(join(root, name, part)).values()].map((bytes) => bytes)),
);
const documents = texts.map((bytes) => load(Buffer.from(bytes).toString()) as Json);

const settings = fc.record<BuildingFor>({
  edition: fc.constantFrom('oss', 'enterprise'),
  router: fc.constantFrom('traditional', 'traditional_compatible', 'expressions'),
  mode: fc.constantFrom('database', 'dbless', 'konnect'),
  rules: fc.constant({ 'plain-secret': 'warning' }),
});

/** Builds what may be anything, shows what is found, and holds that every place lies in its file. */
async function survives(file: string, bytes: Uint8Array, options: BuildingFor): Promise<void> {
  const built = await buildFiles(new Map([[file, bytes]]), options);
  const text = Buffer.from(bytes).toString();
  expect(() => shown(built, text)).not.toThrow();
  const lines = text.split(/\r\n|\n|\r/).length;
  for (const { locations, message, hint } of built.diagnostics) {
    expect(message).not.toMatch(/undefined|\[object/);
    expect(hint).not.toMatch(/undefined|\[object/);
    for (const { line, endLine } of locations) expect(line <= endLine && endLine <= lines + 1).toBe(true);
  }
}

const schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });

function shown(built: Built, text: string): string {
  return renderDiagnosticsText(built.diagnostics, {
    sources: () => text,
    ...hiddenOf(() => text, built.state, schemas),
    color: false,
    max: 20,
  });
}

/** A case's bytes with a stretch taken out and something else in its place. */
const spoiltBytes = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.nat(),
    fc.nat({ max: 40 }),
    fc.oneof(
      fc.uint8Array({ maxLength: 20 }),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\n', ': ', '- ', '{', '[', '"', '&a', '*a', '!!', '#', '|', '>'),
    ),
  )
  .map(([bytes, start, length, instead]) => {
    const at = start % (bytes.length + 1);
    const middle = typeof instead === 'string' ? Buffer.from(instead) : instead;
    return Buffer.concat([bytes.slice(0, at), middle, bytes.slice(at + length)]);
  });

const oddValue: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.constantFrom<Json>(
    '~/(',
    '{vault://',
    '*',
    '',
    '::',
    'http://',
    '10.0.0.0/99',
    -1,
    1e300,
    '__proto__',
    'constructor',
  ),
);

/** A case's content with something odd in one place. */
const spoiltContent = fc
  .tuple(fc.constantFrom(...documents), fc.array(fc.nat({ max: 8 }), { minLength: 1, maxLength: 8 }), oddValue)
  .map(([document, steps, odd]) => replaced(document, steps, odd));

function replaced(value: Json, steps: readonly number[], odd: Json): Json {
  const [step, ...rest] = steps;
  if (step === undefined) return odd;
  if (isJsonArray(value)) {
    if (value.length === 0) return [odd];
    return value.map((item, index) => (index === step % value.length ? replaced(item, rest, odd) : item));
  }
  if (!isJsonObject(value)) return odd;
  const keys = Object.keys(value);
  const chosen = keys[step % Math.max(1, keys.length)];
  if (chosen === undefined) return { odd };
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === chosen ? replaced(inner, rest, odd) : inner]),
  );
}

describe('whatever stands in a file ends in findings, at places within it', () => {
  test('bytes', { timeout: milliseconds + 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(spoiltBytes, fc.uint8Array({ maxLength: 200 })), settings, (bytes, options) =>
        survives('kong.yaml', bytes, options),
      ),
      limits,
    );
  });

  test('content', { timeout: milliseconds + 30_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(spoiltContent, settings, (content, options) =>
        survives('kong.json', Buffer.from(JSON.stringify(content, null, 1)), options),
      ),
      limits,
    );
  });
});
