import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { version } from '../src/cli/version.ts';
import { rules } from '../src/rules/registry.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Every floor of the house, from the ground up, and what it may import of the others. */
const floors: Readonly<Record<string, readonly string[] | 'all above'>> = {
  model: [],
  platform: [],
  config: [],
  manifest: ['model'],
  schema: ['model'],
  git: ['model', 'platform', 'config'],
  forge: ['platform', 'config'],
  dialect: ['manifest', 'model'],
  rules: ['schema', 'model'],
  plan: ['schema', 'model'],
  emulator: ['schema', 'model'],
  render: ['plan', 'model'],
  build: ['dialect', 'rules', 'manifest', 'schema', 'model'],
  destination: ['plan', 'schema', 'model', 'platform', 'config'],
  lane: ['destination', 'build', 'plan', 'model', 'platform'],
  review: ['build', 'plan', 'render', 'forge'],
  report: ['lane', 'forge', 'render', 'platform'],
  daemon: 'all above',
  server: ['daemon', 'render', 'model', 'platform', 'config'],
  cli: 'all above',
  'main.ts': ['cli'],
};

const pure = ['model', 'manifest', 'schema', 'dialect', 'rules', 'plan', 'render', 'build'];

/** Node's modules that pure floors may use, with the names that they may take. */
const pureModules: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': [
    'createHash',
    'createPrivateKey',
    'createPublicKey',
    'type JsonWebKey',
    'type KeyObject',
    'X509Certificate',
  ],
  'node:net': ['isIP', 'isIPv4', 'isIPv6'],
};

interface SourceFile {
  /** Relative to the project, with `/`. */
  readonly path: string;
  readonly lines: readonly string[];
  /** The lines without comments. */
  readonly code: readonly string[];
}

function filesUnder(folder: string, ending: RegExp): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort();
}

function sourceFile(path: string): SourceFile {
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  return {
    path,
    lines,
    code: lines.map((line) => (/^\s*(?:\*|\/\*|\/\/)/.test(line) ? '' : line.replace(/ \/\/ .*$/, ''))),
  };
}

// Kong's schemas are data, made by a script.
const source = filesUnder('src', /\.ts$/)
  .filter((path) => !path.startsWith('src/schema/documents/'))
  .map(sourceFile);
const tests = [...filesUnder('test', /\.ts$/), ...filesUnder('bench', /\.ts$/), ...filesUnder('scripts', /\.ts$/)].map(
  sourceFile,
);

function floorOf(path: string): string {
  return path.split('/')[1] ?? '';
}

/** Each line of a file that has what is not wanted, as `path:line text`. */
function linesWith(file: SourceFile, unwanted: RegExp): readonly string[] {
  return file.code.flatMap((line, index) => (unwanted.test(line) ? [`${file.path}:${index + 1} ${line.trim()}`] : []));
}

interface Import {
  readonly names: string;
  readonly from: string;
  /** Whether anything is imported when the file is loaded: no types only, and nothing that is loaded later. */
  readonly value: boolean;
}

function imports(file: SourceFile): readonly Import[] {
  const text = file.code.join('\n');
  const all = [
    ...text.matchAll(/^(?:import|export) (type )?([^;]*?)\s+from '([^']+)'/gms),
    ...text.matchAll(/()()\bimport\('([^']+)'\)/g),
  ];
  return all.map(([, type, names = '', from = '']) => ({ names, from, value: type === undefined && names !== '' }));
}

function floorImports(file: SourceFile): readonly string[] {
  return imports(file)
    .filter(({ from }) => from.startsWith('.'))
    .map(({ from }) => floorOf(posix.join(posix.dirname(file.path), from)));
}

describe('the house', () => {
  const order = Object.keys(floors);

  test('has the floors of the table', () => {
    expect([...new Set(source.map(({ path }) => floorOf(path)))].filter((floor) => !order.includes(floor))).toEqual([]);
  });

  test('imports downwards only', () => {
    const wrong = source.flatMap((file) => {
      const floor = floorOf(file.path);
      const may = floors[floor] ?? [];
      const allowed = may === 'all above' ? order.slice(0, order.indexOf(floor)) : may;
      return floorImports(file)
        .filter((other) => other !== floor && !allowed.includes(other))
        .map((other) => `${file.path} imports ${other}`);
    });
    expect(wrong).toEqual([]);
  });

  test('has no circle of files', () => {
    const edges = new Map(
      source.map((file) => [
        file.path,
        imports(file)
          .filter(({ from, value }) => from.startsWith('.') && value)
          .map(({ from }) => posix.join(posix.dirname(file.path), from)),
      ]),
    );
    const done = new Set<string>();
    const visit = (path: string, above: readonly string[]): readonly string[] => {
      if (above.includes(path)) return [[...above.slice(above.indexOf(path)), path].join(' > ')];
      if (done.has(path)) return [];
      const found = (edges.get(path) ?? []).flatMap((next) => visit(next, [...above, path]));
      done.add(path);
      return found;
    };
    expect([...edges.keys()].flatMap((path) => visit(path, []))).toEqual([]);
  });
});

describe('pure floors', () => {
  const files = source.filter(({ path }) => pure.includes(floorOf(path)));
  const banned =
    /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bperformance\.|\bprocess\.|\bconsole\.|\bfetch\(|\bset(?:Timeout|Interval|Immediate)\(|\bcrypto\.(?:random|getRandom)|\brandomUUID\b/;

  test('have no clock, no randomness, no process, no network, no log', () => {
    expect(files.flatMap((file) => linesWith(file, banned))).toEqual([]);
  });

  test('take only hashing, keys and addresses of Node', () => {
    const wrong = files.flatMap((file) =>
      imports(file)
        .filter(({ from }) => from.startsWith('node:'))
        .flatMap(({ names, from }) => {
          const allowed = pureModules[from] ?? [];
          const taken = names
            .replace(/^\{|\}$/g, '')
            .split(',')
            .map((name) => name.trim())
            .filter((name) => name !== '');
          return taken.filter((name) => !allowed.includes(name)).map((name) => `${file.path} takes ${name} of ${from}`);
        }),
    );
    expect(wrong).toEqual([]);
  });
});

describe('every source file', () => {
  test('prints and ends the process nowhere but in main', () => {
    const rest = source.filter(({ path }) => path !== 'src/main.ts');
    expect(rest.flatMap((file) => linesWith(file, /\bconsole\.|\bprocess\.(?:exit|stdout|stderr|env|argv)\b/))).toEqual(
      [],
    );
  });

  test('waits by a clock that is passed in, and reads none of its own, outside of the edge', () => {
    const edge = /^src\/(?:platform\/|emulator\/|cli\/|git\/transport\/|daemon\/edge\.ts)/;
    const inner = source.filter(({ path }) => !edge.test(path));
    expect(
      inner.flatMap((file) => linesWith(file, /\bDate\.now\b|\bnew Date\(\s*\)|\bsetTimeout\(|\bsetInterval\(/)),
    ).toEqual([]);
  });

  test('spreads no list of any length into a call, which fails from some 120,000 items on', () => {
    // A forge gives its statuses in pages of a hundred.
    const rest = source.filter(({ path }) => !path.startsWith('src/forge/'));
    expect(rest.flatMap((file) => linesWith(file, /\.(?:push|unshift)\(\.\.\./))).toEqual([]);
  });

  test('keeps to the types', () => {
    const loose = /\bas any\b|: any(?:\[\]|[;)]| =)|<any\b|@ts-(?:ignore|expect-error|nocheck)/;
    expect(source.flatMap((file) => linesWith(file, loose))).toEqual([]);
    expect([...source, ...tests].flatMap((file) => linesWith(file, /[\w)\]]!(?:[.;,)\]]|$)/))).toEqual([]);
  });

  test('has at most 400 lines', () => {
    expect(
      source.filter(({ lines }) => lines.length > 401).map(({ path, lines }) => `${path}: ${lines.length}`),
    ).toEqual([]);
  });

  test('says of each thing that it exports what it is', () => {
    const declaration =
      /^export (?:declare )?(?:async )?(?:abstract )?(?:function\*?|const|class|interface|type) (\w+)/;
    const silent = source.flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => {
        const name = declaration.exec(line)?.[1];
        if (name === undefined) return [];
        const before = lines[index - 1] ?? '';
        // Overloads stand together under one comment.
        const documented = before.endsWith('*/') || before.startsWith(`export function ${name}`);
        return documented ? [] : [`${path}:${index + 1} ${name}`];
      }),
    );
    expect(silent).toEqual([]);
  });

  test('leaves nothing for later', () => {
    // In two halves, or this line would be found.
    const later = new RegExp(`\\b(?:${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')}|X{3})\\b`);
    const found = [...source, ...tests].flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => (later.test(line) ? [`${path}:${index + 1}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

describe('tests', () => {
  test('are all run', () => {
    // A contract says of what cannot be so for one implementation why.
    const run = tests.filter(({ path }) => !path.startsWith('test/contract/'));
    expect(run.flatMap((file) => linesWith(file, /\b(?:test|it|describe)\.(?:skip|only|todo|fails)\b/))).toEqual([]);
  });

  test('need nothing beside the project', () => {
    const beside = tests.filter(({ path }) => path.startsWith('test/') && path !== 'test/tidy.test.ts');
    expect(beside.flatMap((file) => linesWith(file, /\.\.\/shared\//))).toEqual([]);
  });
});

describe('rules', () => {
  test('are one file each, named for the rule', () => {
    const files = new Set(filesUnder('src/rules', /\.ts$/).map((path) => posix.basename(path, '.ts')));
    expect(rules.map(({ name }) => name).filter((name) => !files.has(name))).toEqual([]);
  });
});

describe('the project', () => {
  const manifest = z
    .object({ version: z.string(), dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

  test('has one version', () => {
    expect(version).toBe(manifest.version);
  });

  test('names each dependency by one version, and imports no other package', () => {
    expect(Object.values(manifest.dependencies).filter((wanted) => !/^\d+\.\d+\.\d+$/.test(wanted))).toEqual([]);
    const packages = source.flatMap((file) =>
      imports(file)
        .map(({ from }) => from)
        .filter((from) => !from.startsWith('.') && !from.startsWith('node:')),
    );
    const names = packages.map((from) =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/'),
    );
    expect([...new Set(names)].filter((name) => !Object.hasOwn(manifest.dependencies, name))).toEqual([]);
  });

  test('says nothing of the machine it was written on', () => {
    const places = ['work/main', 'work/shared', 'tmp/k/', 'home/[a-z]+/', 'Users/[A-Za-z]+/'].map(
      (place) => `/${place}`,
    );
    const machine = new RegExp(`${places.join('|')}|"resolved": "http|registry=http`);
    const texts = [
      ...['src', 'test', 'scripts', 'bench', 'docs', 'config', '.ci'].flatMap((folder) => filesUnder(folder, /./)),
      ...readdirSync(root, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name),
    ]
      // What the gate leaves behind is no part of the project.
      .filter((path) => !['test/tidy.test.ts', 'demo.log', 'test-results.json'].includes(path));
    const found = texts.flatMap((path) =>
      readFileSync(join(root, path), 'utf8')
        .split('\n')
        .flatMap((line, index) => (machine.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 120)}`] : [])),
    );
    expect(found).toEqual([]);
  });
});
