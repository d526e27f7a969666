import { expect, test } from 'vitest';
import { kinds } from '../../src/model/kinds.ts';
import { isPulledSchemas } from '../../src/model/pulled-mark.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import { asDocument, type PulledSchemas, pulledText, readPulled, schemasOfPulled } from '../../src/schema/pulled.ts';

const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'expressions' });

const known = (names: readonly string[], find: (name: string) => Parameters<typeof asDocument>[0] | undefined) =>
  Object.fromEntries(
    names.flatMap((name) => {
      const schema = find(name);
      return schema === undefined ? [] : [[name, asDocument(schema)] as const];
    }),
  );

const pulled: PulledSchemas = {
  from: 'here',
  pulled: '2026-01-31',
  kong: { version: '3.9', edition: 'oss', router: 'expressions', mode: 'database' },
  withheld: [],
  entities: known(Object.keys(kinds), schemas.entity),
  plugins: known(schemas.pluginNames, schemas.plugin),
  vaults: known(['env'], schemas.vault),
  partials: {},
};

test('what was pulled comes back from its text as it was served', async () => {
  const read = readPulled(pulledText(pulled));
  expect(read).toEqual({ pulled });
  const again = await schemasOfPulled(pulled);
  expect(again.pluginNames).toEqual(schemas.pluginNames);
  for (const name of schemas.pluginNames) expect(again.plugin(name)).toEqual(schemas.plugin(name));
  for (const kind of Object.keys(kinds)) expect(again.entity(kind)).toEqual(schemas.entity(kind));
  expect(again.plugin('constructor')).toBeUndefined();
});

test('the order in which schemas came makes no difference', () => {
  const turned = Object.fromEntries(Object.entries(pulled.plugins).reverse());
  expect(pulledText({ ...pulled, plugins: turned, withheld: ['b', 'a'] })).toBe(
    pulledText({ ...pulled, withheld: ['a', 'b'] }),
  );
});

test('a file is known by its beginning, whole or damaged, and nothing else is', () => {
  const text = pulledText(pulled);
  for (const one of [text, text.slice(0, 100), `\uFEFF${text}`, text.replace('{', '{\n  ')]) {
    expect(isPulledSchemas(Buffer.from(one))).toBe(true);
  }
  for (const one of [
    '',
    '{}',
    '{"services": [], "_konverge_schemas": 1}',
    '_konverge_schemas: 1',
    '"_konverge_schemas":',
  ]) {
    expect(isPulledSchemas(Buffer.from(one))).toBe(false);
  }
});

test('whatever a file holds is read, or told what is wrong', () => {
  const text = pulledText(pulled);
  const wrong = ['', '{', 'null', '[]', '1', '{"_konverge_schemas": "1"}', '{"_konverge_schemas": 0.5}'];
  for (const one of wrong) expect(readPulled(one)).toHaveProperty('fault');
  for (let at = 1; at < text.length - 2; at += 997) {
    expect(readPulled(text.slice(0, at))).toEqual({ fault: 'is damaged: it is no JSON' });
  }
  expect(readPulled(text.replace('"fields":[', '"fields_":['))).toEqual({
    fault: expect.stringMatching(/^is damaged at entities\.\w+/),
  });
});
