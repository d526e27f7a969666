import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DocumentCache } from '../../src/manifest/document-cache.ts';
import { everyFile, type FileSelection } from '../../src/manifest/file-selection.ts';
import { defaultManifestLimits } from '../../src/manifest/limits.ts';
import { readSnapshot } from '../../src/manifest/read-snapshot.ts';
import type { Snapshot, SnapshotEntry } from '../../src/model/snapshot.ts';
import { bytes } from './support.ts';

type Entry = string | SnapshotEntry;

function snapshot(entries: { readonly [path: string]: Entry }): Snapshot {
  return {
    revision: null,
    entries: new Map(
      Object.entries(entries).map(([path, entry]) => [
        path,
        typeof entry === 'string' ? { type: 'file', bytes: bytes(entry), blob: null } : entry,
      ]),
    ),
  };
}

function read(entries: { readonly [path: string]: Entry }, selection: Partial<FileSelection> = {}) {
  const { documents, diagnostics } = readSnapshot(snapshot(entries), { ...everyFile, ...selection });
  return {
    files: documents.map(({ file }) => file),
    found: diagnostics.map(({ rule, locations: [first] }) => `${rule} ${first?.file}`),
  };
}

const link = (target: string): SnapshotEntry => ({ type: 'symlink', target });
const submodule: SnapshotEntry = { type: 'submodule', commit: '0'.repeat(40) };
const oversized: SnapshotEntry = { type: 'oversized', sizeBytes: 20, limitBytes: 10 };

describe('which files are read', () => {
  it('by name, in any letter case, and never what begins with a dot', () => {
    const names = [
      'a.yaml',
      'b.YML',
      'c.Json',
      'd/e.yaml',
      'f.yaml/g.yaml',
      '.h.yaml',
      '.i/j.yaml',
      'k/.l/m.yaml',
      'n.txt',
      'yaml',
      'o.yaml.bak',
      'p.jsonl',
      '.konvergeignore',
    ];
    const { files, found } = read(Object.fromEntries(names.map((name) => [name, 'x: 1'])));
    expect(files).toEqual(['a.yaml', 'b.YML', 'c.Json', 'd/e.yaml', 'f.yaml/g.yaml']);
    expect(found).toEqual([]);
  });

  it('by include and exclude, and not the configuration', () => {
    const entries = { 'konverge.yaml': 'x: 1', 'base/a.yaml': 'x: 1', 'edge/a.yaml': 'x: 1', 'edge/b/c.yaml': 'x: 1' };
    expect(read(entries, { configuration: ['konverge.yaml'] }).files).toEqual([
      'base/a.yaml',
      'edge/a.yaml',
      'edge/b/c.yaml',
    ]);
    expect(read(entries, { include: ['base/**', 'edge/*.yaml'] }).files).toEqual(['base/a.yaml', 'edge/a.yaml']);
    expect(read(entries, { exclude: ['edge/**', 'konverge.yaml'] }).files).toEqual(['base/a.yaml']);
  });

  it('by ignore patterns of the configuration and of the snapshot, of which neither takes back what the other leaves out', () => {
    const entries = {
      '.konvergeignore': '# local\n!a.yaml\nb.yaml\r\n',
      'a.yaml': 'x: 1',
      'b.yaml': 'x: 1',
      'c.yaml': 'x: 1',
      'd/.konvergeignore': 'e.yaml',
      'd/e.yaml': 'x: 1',
    };
    expect(read(entries, { ignore: ['a.yaml'] }).files).toEqual(['c.yaml', 'd/e.yaml']);
  });

  it('always, when a person named them', () => {
    const entries = { '.konvergeignore': '*', '.a.txt': 'x: 1', 'b.yaml': 'x: 1', 'c.yaml': 'x: 1' };
    expect(read(entries, { named: ['.a.txt', 'b.yaml'], exclude: ['**'] }).files).toEqual(['.a.txt', 'b.yaml']);
  });

  it('in one order, whatever that of the entries', () => {
    const names = [
      'b.yaml',
      'a/z.yaml',
      'a.yaml',
      'B.yaml',
      'é.yaml',
      'a-b.yaml',
      'a/1.yaml',
      'a/10.yaml',
      'a/2.yaml',
      '😀.yaml',
      '\uff5e.yaml',
    ];
    const sorted = [...names].sort();
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: names.length }), (shuffled) => {
        expect(read(Object.fromEntries(shuffled.map((name) => [name, 'x: 1\n---\ny: 2']))).files).toEqual(
          sorted.flatMap((name) => [name, name]),
        );
      }),
    );
  });
});

describe('what cannot be read', () => {
  it('is reported where it has the name of a manifest', () => {
    const { files, found } = read({
      'a.yaml': link('b.txt'),
      'b.txt': 'x: 1',
      'c.json': submodule,
      'd.yml': oversized,
      'e.bin': oversized,
      'f.yaml': '\0',
    });
    expect(files).toEqual([]);
    expect(found).toEqual([
      'file-not-regular a.yaml',
      'file-not-regular c.json',
      'file-too-large d.yml',
      'file-encoding f.yaml',
    ]);
  });

  it('is reported where it could be a folder of manifests', () => {
    const { found } = read({
      vendor: submodule,
      shared: link('../other'),
      inside: link('real'),
      'real/a.yaml': 'x: 1',
      current: link('real/a.yaml'),
      abs: link('/etc'),
      README: link('docs/readme'),
      'docs/readme': 'text',
      LICENSE: link('../LICENSE.txt'),
      'tool.sh': link('../tool'),
      loop: link('loop'),
    });
    expect(found).toEqual(
      ['abs', 'current', 'inside', 'loop', 'shared', 'vendor'].map((name) => `file-not-regular ${name}`),
    );
  });

  it('is not reported where it is left out anyway', () => {
    const entries = {
      vendor: submodule,
      'a.yaml': link('b'),
      'x/sub': submodule,
      '.hidden': submodule,
      'z.yaml': oversized,
    };
    expect(read(entries, { ignore: ['vendor', 'a.yaml', 'x/', 'z.yaml'] }).found).toEqual([]);
    expect(read(entries, { include: ['base/**'] }).found).toEqual([]);
    expect(read(entries, { include: ['x/*/a.yaml'] }).found).toEqual(['file-not-regular x/sub']);
    expect(read(entries, { named: ['a.yaml'], ignore: ['*'] }).found).toEqual(['file-not-regular a.yaml']);
  });

  it('is reported of the ignore file too', () => {
    expect(read({ '.konvergeignore': link('x') }).found).toEqual(['file-not-regular .konvergeignore']);
    expect(read({ '.konvergeignore': oversized }).found).toEqual(['file-too-large .konvergeignore']);
    expect(read({ '.konvergeignore': 'a\0' }).found).toEqual(['file-encoding .konvergeignore']);
  });

  it('is named with its control characters escaped', () => {
    const { files, found } = read({ 'a\nb\u001b[31m.yaml': 'x: 1', 'c\u202e.yaml': '[', 'd\t/e.yaml': link('x') });
    expect(files).toEqual(['a\\nb\\u001b[31m.yaml']);
    expect(found).toEqual(['yaml-syntax c\\u202e.yaml', 'file-not-regular d\\t/e.yaml']);
  });

  it('keeps no other file from being read', () => {
    const { files, found } = read({ 'a.yaml': 'x: [', 'b.yaml': 'x: 1' });
    expect(files).toEqual(['b.yaml']);
    expect(found).toEqual(['yaml-syntax a.yaml']);
  });
});

describe('the size of a snapshot', () => {
  const entries = snapshot({ 'a.yaml': 'x: 1', 'b.yaml': 'x: 1', 'c.yaml': 'x: 1', 'd.txt': 'x'.repeat(100) });

  it('is bounded in bytes, and nothing is read beyond it', () => {
    const { documents, diagnostics } = readSnapshot(entries, everyFile, {
      ...defaultManifestLimits,
      snapshotBytes: 11,
    });
    expect(documents).toEqual([]);
    expect(diagnostics.map(({ rule, locations: [first] }) => `${rule} ${first?.file}`)).toEqual([
      'snapshot-too-large c.yaml',
    ]);
    expect(readSnapshot(entries, everyFile, { ...defaultManifestLimits, snapshotBytes: 12 }).documents).toHaveLength(3);
  });

  it('is bounded in files', () => {
    const { documents, diagnostics } = readSnapshot(entries, everyFile, { ...defaultManifestLimits, files: 2 });
    expect(documents).toEqual([]);
    expect(diagnostics.map(({ rule, locations: [first] }) => `${rule} ${first?.file}`)).toEqual([
      'snapshot-too-large c.yaml',
    ]);
  });
});

describe('the cache of documents', () => {
  const of = (entries: { readonly [path: string]: readonly [text: string, blob: string] }): Snapshot => ({
    revision: null,
    entries: new Map(
      Object.entries(entries).map(([path, [text, blob]]) => [path, { type: 'file', bytes: bytes(text), blob }]),
    ),
  });
  const limits = defaultManifestLimits;

  it('gives the same documents for a blob of the same name, findings included', () => {
    const cache = new DocumentCache(1000);
    const first = readSnapshot(of({ 'a.yaml': ['x: 1', '1'], 'b.yaml': ['x: [', '2'] }), everyFile, limits, cache);
    const second = readSnapshot(
      of({ 'a.yaml': ['x: 1', '1'], 'b.yaml': ['x: [', '2'], 'c.yaml': ['x: 1', '1'] }),
      everyFile,
      limits,
      cache,
    );
    expect(second.documents[0]).toBe(first.documents[0]);
    expect(second.documents.map(({ file }) => file)).toEqual(['a.yaml', 'c.yaml']);
    expect(second.diagnostics).toEqual(first.diagnostics);
    expect(first.diagnostics).toHaveLength(1);
  });

  it('parses anew what changed, has no blob id, or falls under other limits', () => {
    const cache = new DocumentCache(1000);
    const first = readSnapshot(of({ 'a.yaml': ['x: 1', '1'] }), everyFile, limits, cache);
    expect(readSnapshot(of({ 'a.yaml': ['x: 2', '2'] }), everyFile, limits, cache).documents[0]?.value).toEqual({
      x: 2,
    });
    expect(readSnapshot(of({ 'a.yaml': ['x: 1', '1'] }), everyFile, { ...limits }, cache).documents[0]).not.toBe(
      first.documents[0],
    );
    const size = cache.size;
    readSnapshot(snapshot({ 'z.yaml': 'x: 1' }), everyFile, limits, cache);
    expect(cache.size).toBe(size);
  });

  it('lets go of what was not asked for longest', () => {
    const cache = new DocumentCache(12);
    const put = (blob: string, text: string) => readSnapshot(of({ 'a.yaml': [text, blob] }), everyFile, limits, cache);
    put('1', 'x: 1');
    put('2', 'x: 2');
    put('3', 'x: 3');
    put('1', 'x: 1');
    put('4', 'x: 4');
    expect(['1', '2', '3', '4'].map((blob) => cache.get(blob, 'a.yaml', limits) !== null)).toEqual([
      true,
      false,
      true,
      true,
    ]);
    put('5', 'x: "much too long for this"');
    expect(cache.get('5', 'a.yaml', limits)).toBeNull();
    expect(cache.size).toBe(3);
    cache.clear();
    expect(cache.size).toBe(0);
  });
});
