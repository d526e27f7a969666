import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { jsonSchema } from '../../src/config/json-schema.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';
import { ruleNames } from '../../src/rules/registry.ts';
import { certificate as makeCertificate } from '../support/pem.ts';
import { blocks, read, root, rows } from './pages.ts';

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly default?: unknown;
}

const schemaNode: z.ZodType<SchemaNode> = z.lazy(() =>
  z.object({
    properties: z.record(z.string(), schemaNode).optional(),
    items: schemaNode.optional(),
    default: z.unknown().optional(),
  }),
) as z.ZodType<SchemaNode>;

/** Every key that holds a value, with its default; `policy` and `limits` of a destination are those of the root. */
function keysOf(node: SchemaNode, path = ''): readonly (readonly [key: string, otherwise: unknown])[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, value]) => {
    const key = path === '' ? name : `${path}.${name}`;
    if (/^destinations\[\]\.(policy|limits)$/.test(key)) return [[key, undefined] as const];
    if (value.items?.properties !== undefined) return keysOf(value.items, `${key}[]`);
    return value.properties === undefined ? [[key, value.default] as const] : keysOf(value, key);
  });
}

const keys = keysOf(schemaNode.parse(jsonSchema()));

describe('docs/configuration.md', () => {
  const documented = new Map(
    rows(read('docs/configuration.md'), 'key').map(([key = '', , otherwise = '']) => [
      key.replaceAll('`', ''),
      otherwise.replaceAll('`', ''),
    ]),
  );

  test('has every key of the schema and no other', () => {
    expect([...documented.keys()].sort()).toEqual(keys.map(([key]) => key).sort());
  });

  test('says the default of the schema', () => {
    const simple = keys.filter(([, otherwise]) => ['string', 'number', 'boolean'].includes(typeof otherwise));
    const wrong = simple.filter(([key, otherwise]) => otherwise !== '' && documented.get(key) !== String(otherwise));
    expect(wrong).toEqual([]);
  });
});

const pem = makeCertificate({ commonName: 'ca.example' });

/** Loads a configuration whose variables and files hold placeholders, and reads every section of it. */
function loadWhole(file: string, text: string) {
  const configuration = loadConfiguration([file], noOverrides, {
    env: (name) => {
      if (name.endsWith('_CERT')) return pem.cert;
      if (name.endsWith('_URL')) return 'https://hooks.example.com/x';
      return name.endsWith('_KEY') ? pem.key : 'x';
    },
    readFile: (path) => (path === file ? text : pem.cert),
  });
  configuration.policy();
  configuration.kong();
  configuration.status();
  configuration.notify();
  configuration.server();
  configuration.storage();
  return {
    repository: configuration.repository(),
    rules: configuration.rules(),
    destinations: configuration.destinationNames.map((name) => configuration.destination(name)),
  };
}

const examples = readdirSync(join(root, 'config')).filter((name) => /\.yaml$/.test(name) && name !== 'compose.yaml');

describe.each(examples)('config/%s', (name) => {
  test('loads', () => {
    const { repository, rules, destinations } = loadWhole(name, read(`config/${name}`));
    expect(repository?.url).toBeTruthy();
    expect(destinations.length).toBeGreaterThan(0);
    expect(Object.keys(rules).filter((rule) => !ruleNames.includes(rule))).toEqual([]);
  });
});

test('config/reference.yaml has every key, with the default where there is one', () => {
  const written = new Map(valuesOf(load(read('config/reference.yaml'))));
  // The other ways to sign in stand there as comments.
  const commented = /^ +# (username|password): /gm;
  for (const [, key = ''] of read('config/reference.yaml').matchAll(commented)) {
    written.set(`repository.auth.${key}`, undefined);
  }
  for (const [, key = ''] of read('config/reference.yaml').matchAll(/^ +# {3}(id|installation|key): /gm)) {
    written.set(`status.github.app.${key}`, undefined);
  }
  const lacking = keys.filter(
    ([key]) => !written.has(key) && ![...written.keys()].some((at) => at.startsWith(`${key}.`)),
  );
  expect(lacking).toEqual([]);
  const optional = /^repository\.path$|^destinations/;
  const other = keys.filter(
    ([key, otherwise]) => isScalar(otherwise) && !optional.test(key) && written.get(key) !== otherwise,
  );
  expect(other).toEqual([]);
});

test('the configuration in the README is right, and no longer than it says', () => {
  const [real = '', first = ''] = blocks(read('README.md'), 'yaml');
  expect(real.trim().split('\n').length).toBeLessThanOrEqual(10);
  expect(loadWhole('konverge.yaml', real).destinations.map(({ name }) => name)).toEqual(['prod', 'konnect']);
  expect(loadWhole('konverge.yaml', first).destinations).toHaveLength(1);
});

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** Every mapping and value of a document by its path, the items of lists of mappings as one. */
function valuesOf(value: unknown, path = ''): readonly (readonly [string, unknown])[] {
  if (Array.isArray(value)) {
    const isOfMappings = value.some((item) => typeof item === 'object');
    return isOfMappings ? value.flatMap((item) => valuesOf(item, `${path}[]`)) : [[path, value]];
  }
  if (typeof value !== 'object' || value === null) return [[path, value]];
  return [
    [path, value],
    ...Object.entries(value).flatMap(([key, inner]) => valuesOf(inner, path === '' ? key : `${path}.${key}`)),
  ];
}
