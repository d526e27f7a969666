import { describe, expect, onTestFinished, test } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { type Bench, type BenchWish, bundledSchemas, openBench } from './bench.ts';
import { applied, settled } from './changing.ts';
import { everyPlugin } from './every-plugin.ts';
import { everyKind } from './full.ts';

/** Every kind that a destination takes, and every plugin in each scope that it takes. */
async function everything(bench: Bench): Promise<{ readonly file: JsonObject; readonly plugins: number }> {
  const schemas = (await bundledSchemas())[bench.edition];
  const { plugins, unwritten } = everyPlugin(schemas, bench.edition === 'enterprise');
  expect(unwritten).toEqual([]);
  const kinds = everyKind(bench);
  const own = (kinds['plugins'] as readonly JsonObject[]).filter(({ name }) => name !== 'correlation-id');
  const withoutPlugins = JSON.parse(
    JSON.stringify(kinds, (key, value) => (key === 'plugins' ? undefined : value)),
  ) as JsonObject;
  return { file: { ...withoutPlugins, plugins: [...own, ...plugins] }, plugins: plugins.length };
}

const wishes: readonly BenchWish[] = [
  { name: 'kong', flavour: 'kong' },
  { name: 'edge', flavour: 'dbless' },
  { name: 'kong-ee', flavour: 'kong', edition: 'enterprise' },
  { name: 'konnect', flavour: 'konnect' },
];

describe.each(wishes)('$name', (wish) => {
  test('takes every kind and every plugin in every scope, and a second plan is empty', {
    timeout: 240_000,
  }, async () => {
    const bench = await openBench(wish);
    onTestFinished(() => bench.close());
    await bench.reset();
    const { file, plugins } = await everything(bench);
    expect(plugins).toBeGreaterThan(bench.edition === 'oss' ? 200 : 600);
    const files = { 'kong.json': file };
    await applied(bench, files);
    await settled(bench, files);
  });
});
