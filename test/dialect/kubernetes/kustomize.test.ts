import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { kustomize } from '../../../src/dialect/kubernetes/kustomize/kustomize.ts';
import { compileNamePattern } from '../../../src/dialect/kubernetes/kustomize/name-pattern.ts';
import { parseFile } from '../../../src/manifest/parse.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json } from '../../../src/model/json.ts';
import type { SnapshotEntry } from '../../../src/model/snapshot.ts';

type Files = { readonly [path: string]: string };

interface Case {
  readonly name: string;
  readonly folder: string;
  readonly files?: Files;
  readonly objects?: readonly Json[];
  readonly refused?: true;
}

const [recorded] = parseFile('kustomize.yaml', readFileSync('test/cases/kustomize.yaml')).documents;
const cases = (recorded?.value ?? []) as unknown as readonly Case[];
const shared = cases[0]?.files ?? {};

function run(
  files: Files,
  folders: readonly string[] = [],
  selected: (path: string) => boolean = () => true,
  followsKong = true,
) {
  const entries = new Map<string, SnapshotEntry>(
    Object.entries(files).map(([path, text]) => [path, { type: 'file', bytes: Buffer.from(text), blob: null }]),
  );
  const read = (path: string) => parseFile(path, Buffer.from(files[path] ?? '')).documents;
  const documents = Object.keys(files)
    .filter((path) => /\.(?:ya?ml|json)$/.test(path) && selected(path))
    .flatMap(read);
  return kustomize(documents, { entries, read, folders, followsKong });
}

function told(files: Files, folders: readonly string[] = []): readonly string[] {
  return run(files, folders).diagnostics.map(({ severity, rule, message, locations: [at] }) =>
    [severity, rule, at === undefined ? '-' : `${at.file}:${at.line}`, message].join(' '),
  );
}

function names(files: Files, folders: readonly string[] = [], selected?: (path: string) => boolean) {
  return run(files, folders, selected).documents.map(({ value }) => {
    const metadata = isJsonObject(value) ? value['metadata'] : undefined;
    return isJsonObject(metadata) ? String(metadata['name']) : '-';
  });
}

/** What is compared of an object: not what means nothing to Kong and is left out. */
function compared(value: Json): Json {
  if (typeof value === 'string' && /^[A-Za-z0-9+/\n]+=*\n?$/.test(value)) return value.replaceAll('\n', '');
  if (isJsonArray(value)) return value.map(compared);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'selector' && key !== 'immutable')
      .map(([key, inner]) => [key, compared(inner)]),
  );
}

describe('what Kustomize makes of a folder', () => {
  it.each(cases.slice(1))('$name', ({ folder, files = {}, objects = [], refused = false }) => {
    const result = run({ ...shared, ...files }, [folder], () => true, false);
    expect(result.diagnostics.some(({ severity }) => severity === 'error')).toBe(refused);
    const built = result.documents.map(({ value }) => canonicalJson(compared(value)));
    expect(built.sort()).toEqual(objects.map((object) => canonicalJson(compared(object))).sort());
  });

  it('holds binary data apart', () => {
    const bytes = Buffer.from([0xff, 0xfe, 0]);
    const kustomization = Buffer.from('configMapGenerator: [{ name: c, files: [b] }]\n');
    const entries = new Map<string, SnapshotEntry>([
      ['kustomization.yaml', { type: 'file', bytes: kustomization, blob: null }],
      ['b', { type: 'file', bytes, blob: null }],
    ]);
    const { documents } = parseFile('kustomization.yaml', kustomization);
    const result = kustomize(documents, { entries, read: () => [], folders: [] });
    expect(result.documents[0]?.value).toMatchObject({ binaryData: { b: '//4A' } });
  });
});

const service = (name: string) => `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\n`;

describe('the folders that are built', () => {
  const files = {
    'base/kustomization.yaml': 'resources: [a.yaml]\n',
    'base/a.yaml': service('a'),
    'one/kustomization.yaml': 'resources: [../base]\nnamePrefix: one-\n',
    'two/kustomization.yml': 'resources: [../base]\nnamePrefix: two-\n',
    'plain/b.yaml': service('b'),
  };

  it('are those that no other one refers to', () => {
    expect(names(files)).toEqual(['b', 'one-a', 'two-a']);
  });

  it('are told of where two have a base in common and none is named', () => {
    expect(told(files)).toEqual([
      'warning kustomize-overlays two/kustomization.yml:1 two and one are both built, and both of base.',
    ]);
    expect(told(files, ['one', 'two'])).toEqual([]);
  });

  it('are those that are named', () => {
    expect(names(files, ['one'])).toEqual(['b', 'one-a']);
    expect(names(files, ['./two/', 'base'])).toEqual(['b', 'two-a', 'a']);
    expect(told(files, ['plain'])).toEqual([
      expect.stringContaining('error kustomize - There is no kustomization in "plain"'),
    ]);
  });

  it('are built from files that are not selected themselves', () => {
    expect(names(files, [], (path) => path.startsWith('one/'))).toEqual(['one-a']);
  });

  it('are the same whatever the order of files', () => {
    const reversed = Object.fromEntries(Object.entries(files).reverse());
    expect([...names(reversed)].sort()).toEqual([...names(files)].sort());
  });

  it('leave no manifest out unsaid', () => {
    const more = {
      ...files,
      'one/c.yaml': service('c'),
      'one/deep/d.yaml': service('d'),
      'one/deck.yaml': 'services: []\n',
    };
    expect(names(more)).toEqual(['b', '-', 'one-a', 'two-a']);
    expect(told(more)).toEqual([
      expect.stringMatching(/^warning kustomize-unlisted one\/c\.yaml:2 /),
      expect.stringMatching(/^warning kustomize-unlisted one\/deep\/d\.yaml:2 /),
      expect.stringMatching(/^warning kustomize-overlays two\/kustomization\.yml:1 /),
    ]);
  });

  it('may have any of the three names, but one only', () => {
    expect(
      names({
        'x/kustomization.yaml': 'resources: [../y]\n',
        'y/Kustomization': 'resources: [a.yaml]\n',
        'y/a.yaml': service('a'),
      }),
    ).toEqual(['a']);
    expect(told({ ...files, 'one/kustomization.yml': 'resources: []\n' })).toEqual([
      expect.stringContaining('A folder has one kustomization'),
    ]);
  });

  it('do not go round in circles', () => {
    const circle = { 'a/kustomization.yaml': 'resources: [../b]\n', 'b/kustomization.yaml': 'resources: [../a]\n' };
    expect(told(circle)).toEqual(['error kustomize b/kustomization.yaml:1 a is built of itself.']);
  });

  it('are not what other tools keep under the same name', () => {
    const flux = 'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: { name: apps }\n';
    expect(names({ 'kustomization.yaml': flux, 'a.yaml': service('a') })).toEqual(['apps', 'a']);
  });
});

describe('a folder that cannot be built', () => {
  const kustomization = (text: string, more: Files = {}) => told({ 'k/kustomization.yaml': text, ...more });

  it.each([
    ['resources: [https://example.com/a.yaml]', 1, 'is not a file of this repository'],
    ['resources:\n- github.com/acme/base?ref=v1', 2, 'is not a file of this repository'],
    ['resources: [../../base]', 1, 'is outside of what is read'],
    ['resources: [/etc/passwd]', 1, 'is outside of what is read'],
    ['helmCharts: [{ name: x }]', 1, '`helmCharts` is not supported'],
    ['replacements: [{ path: x }]', 1, '`replacements` is not supported'],
    ['vars: [{ name: x }]', 1, '`vars` is not supported'],
    ['resources: a.yaml', 1, '`resources` has to be a list'],
    ['namePrefix: [a]', 1, '`namePrefix` has to be a text'],
    ['commonLabels: [a]', 1, '`commonLabels` has to be a mapping'],
    ['secretGenerator: [{ name: a, envs: [none.env] }]', 1, 'There is no such file here'],
    ['secretGenerator: [{ name: a, literals: [b] }]', 1, 'An entry of literals is no KEY=VALUE'],
    ['secretGenerator: [{ literals: [a=b] }]', 1, 'needs a `name`'],
    ['patches:\n- target: { name: "(a{2})" }\n  patch: "[]"', 2, 'This `name` of a target is not supported'],
    ['patches: [{ path: none.yaml }]', 1, 'There is no k/none.yaml'],
    ['patches:\n- patch: "a: ["', 2, 'This patch cannot be read as YAML'],
    ['configurations: [../c.yaml]', 1, '`images` in a configuration is not supported'],
    ['[]', 1, ''],
  ])('%s', (text, line, message) => {
    const found = kustomization(`${text}\n`, { 'c.yaml': 'images: []\n' });
    if (message === '') expect(found).toEqual([]);
    else {
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(message);
      expect(found[0]).toMatch(/^error kustomize \S+:\d+ /);
      if (!message.includes('configuration ')) expect(found[0]).toContain(`k/kustomization.yaml:${line} `);
    }
  });

  it('tells of a patch that fits nothing', () => {
    const patches = 'patches:\n- target: { kind: Ingress }\n  patch: "[{ op: remove, path: /spec }]"\n';
    const files = { 'k/kustomization.yaml': `resources: [a.yaml]\n${patches}`, 'k/a.yaml': service('a') };
    expect(told(files)).toEqual([expect.stringContaining('warning kustomize-patch k/kustomization.yaml:3 This patch')]);
    expect(names(files)).toEqual(['a']);
  });

  it('tells of nothing that a secret may be part of', () => {
    const files = { 'k/kustomization.yaml': 'secretGenerator: [{ name: a, envs: [s.env] }]\n', 'k/s.env': 'hunter2\n' };
    expect(JSON.stringify(run(files).diagnostics)).not.toContain('hunter2');
  });

  it('is given up where it grows without end', () => {
    const operations = Array.from(
      { length: 60 },
      (_, index) => `- { op: copy, from: /data, path: /data/x${index} }`,
    ).join('\n  ');
    const files = {
      'kustomization.yaml': `configMapGenerator: [{ name: a, literals: [b=c] }]\npatches:\n- target: { name: a }\n  patch: |\n  ${operations.replaceAll(/^/gm, '  ')}\n`,
    };
    expect(told(files)).toEqual([expect.stringContaining('What is built here grows too large')]);
  });
});

describe('references of kinds that Kustomize does not know', () => {
  const files = {
    'kustomization.yaml': `resources: [a.yaml]
namePrefix: x-
secretGenerator:
- name: key
  literals: [key=abc]
`,
    'a.yaml': `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: limit }
plugin: rate-limiting
---
apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata: { name: alice, annotations: { konghq.com/plugins: "other, limit" } }
credentials: [key, none]
`,
    'b/other.yaml':
      'apiVersion: configuration.konghq.com/v1\nkind: KongPlugin\nmetadata: { name: other }\nplugin: cors\n',
  };

  function consumer(more: Files = {}): Json | undefined {
    return run({ ...files, ...more }).documents.find(
      ({ value }) => isJsonObject(value) && value['kind'] === 'KongConsumer',
    )?.value;
  }

  it('follow the new name of what they mean, and say so', () => {
    expect(consumer()).toMatchObject({
      metadata: { name: 'x-alice', annotations: { 'konghq.com/plugins': 'other,x-limit' } },
      credentials: [expect.stringMatching(/^x-key-[a-z0-9]{10}$/), 'none'],
    });
    expect(told(files)).toEqual([
      expect.stringContaining('info kustomize-reference a.yaml:8 This reference follows KongPlugin "limit"'),
      expect.stringContaining('info kustomize-reference a.yaml:9 This reference follows Secret "key"'),
      'warning kustomize-unlisted b/other.yaml:2 This KongPlugin is not read, for the kustomization of its folder does not list the file.',
    ]);
  });

  it('mean what there is by the name as it is written', () => {
    const there = files['b/other.yaml'].replace('name: other', 'name: limit');
    const more = { 'k/kustomization.yaml': 'resources: [a.yaml]\n', 'k/a.yaml': there };
    expect(consumer(more)).toMatchObject({ metadata: { annotations: { 'konghq.com/plugins': 'other, limit' } } });
  });
});

describe('the places in what is built', () => {
  const files = {
    'kustomization.yaml': `resources: [base]
namespace: shop
patches:
- patch: |
    apiVersion: v1
    kind: Service
    metadata:
      name: a
      annotations: { x: "y" }
- path: p.yaml
  target: { kind: Service }
`,
    'p.yaml': '- op: add\n  path: /spec\n  value:\n    ports: [{ port: 80 }]\n',
    'base/kustomization.yaml': 'resources: [a.yaml]\nnamePrefix: b-\n',
    'base/a.yaml': service('a'),
  };
  const [document] = run(files).documents;

  it.each([
    [['kind'], 'base/a.yaml', 2],
    [['metadata', 'name'], 'base/a.yaml', 4],
    [['metadata', 'namespace'], 'kustomization.yaml', 2],
    [['metadata', 'annotations', 'x'], 'kustomization.yaml', 9],
    [['spec', 'ports', 0, 'port'], 'p.yaml', 4],
    [['spec', 'none'], 'p.yaml', 4],
    [['status'], 'base/a.yaml', 1],
  ])('%s', (path, file, line) => {
    expect(document?.at(path)).toMatchObject({ file, line });
  });
});

describe('expressions for names', () => {
  it.each([
    ['a|b', ['a', 'b'], ['ab', '']],
    ['^web$', ['web'], ['webs']],
    ['.*', ['', 'abc'], []],
    ['(a|bc)+d?', ['a', 'abcd', 'bcbca'], ['d', 'b']],
    ['[a-c]x[^0-9-]', ['axz', 'cx.'], ['dxz', 'ax1', 'ax-']],
    ['a\\.b\\d', ['a.b1'], ['axb1', 'a.bb']],
    ['(?:ab)?', ['', 'ab'], ['a']],
    ['(a*)*b', null, null],
    ['(?i)a', null, null],
    ['a{2}', null, null],
    ['a**', null, null],
    ['(a', null, null],
    ['a)', null, null],
    ['[a', null, null],
    ['\\pL', null, null],
  ])('%s', (pattern, yes, no) => {
    const matches = compileNamePattern(pattern);
    if (yes === null && pattern !== '(a*)*b') expect(matches).toBeNull();
    for (const text of yes ?? []) expect([text, matches?.(text)]).toEqual([text, true]);
    for (const text of no ?? []) expect([text, matches?.(text)]).toEqual([text, false]);
  });

  it('take no time to speak of', () => {
    const before = performance.now();
    expect(compileNamePattern('((a|a)+)+b')?.('a'.repeat(2_000))).toBe(false);
    expect(performance.now() - before).toBeLessThan(2_000);
  });
});
