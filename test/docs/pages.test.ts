import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandNames, findCommand } from '../../src/cli/commands.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import type { DaemonStatus } from '../../src/daemon/daemon.ts';
import type { ReviewerStatus } from '../../src/daemon/reviewing/reviewer-status.ts';
import { stateWords } from '../../src/lane/ending.ts';
import { firstStatus } from '../../src/lane/sayings.ts';
import { statePages } from '../../src/lane/state-pages.ts';
import { signatureFaults } from '../../src/model/commit-text.ts';
import { holdPages } from '../../src/plan/hold-pages.ts';
import { metricsText } from '../../src/server/metrics.ts';
import { statusJson } from '../../src/server/status-json.ts';
import { blocks, firstCells, pages, read, root, rows, shownCommands, words } from './pages.ts';

function sources(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'))
    .join('\n');
}

/** The headings of a page as a forge makes anchors of them. */
function anchors(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('%s', (path) => {
  test('leads only to what exists', () => {
    const links = [...read(path).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => {
      if (/^https?:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchors(read(target)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('shows commands and options that exist', async () => {
    const wrong: string[] = [];
    for (const line of shownCommands(read(path))) {
      const [, command = ''] =
        /(?:^|&& |\. )(?:[A-Z_]+=\S+ )*(?:konverge|node --import tsx src\/main\.ts) (.*?)(?: &| > \S+)?$/.exec(line) ??
        [];
      if (command === '') continue;
      const [name = '', ...rest] = words(command);
      const found = await findCommand(name);
      const options = rest.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
      const unknown = options.filter((option) => found === undefined || !(option in found.options));
      if (found === undefined || unknown.length > 0) wrong.push(line);
    }
    expect(wrong).toEqual([]);
  });

  test('shows scripts of the project that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
    const named = [...read(path).matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

test('the README has every command, in order, and no other', () => {
  expect(firstCells(read('README.md'), 'command').map((cell) => cell.split(' ')[0])).toEqual(commandNames);
});

test('docs/states.md has every state, each with one sentence', () => {
  const table = rows(read('docs/states.md'), 'state');
  expect(table.map(([state = '']) => state.replaceAll('`', ''))).toEqual(Object.keys(stateWords));
  expect(table.map(([, meaning = '']) => meaning)).toEqual(Object.values(statePages).map(({ what }) => what));
  for (const [, meaning = '', commit = ''] of table) {
    expect(meaning).toMatch(/^[A-Z].*\.$/);
    expect(['pending', 'success', 'failure']).toContain(commit);
  }
});

test('docs/operations.md has every reason to hold a plan', () => {
  const holds = /^## Holds\n(.*?)^## /ms.exec(read('docs/operations.md'))?.[1] ?? '';
  const named = [...holds.matchAll(/^- `([a-z-]+)`: |One hold comes after the writing: `([a-z-]+)`/gm)];
  expect(named.map(([, code, last]) => code ?? last).sort()).toEqual(Object.keys(holdPages).sort());
});

test('docs/architecture.md has every folder of the sources', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}/` : entry.name,
  );
  expect([...firstCells(read('docs/architecture.md'), 'folder of `src/`')].sort()).toEqual(folders.sort());
});

test('docs/git.md has every code of a failure', () => {
  const code = sources('src/git');
  const given = [...code.matchAll(/\bcode: (?:gone \? )?'([a-z-]+)'(?: : '([a-z-]+)')?/g)].flatMap(([, ...codes]) =>
    codes.filter((name) => name !== undefined),
  );
  const all = new Set([...given, ...signatureFaults, 'branch-missing', 'connection-lost', 'http-…']);
  expect([...firstCells(read('docs/git.md'), 'code')]).toEqual([...all].sort());
});

test('docs/deck.md has every finding of the format', () => {
  const union = /export type DeckRule =([^;]*);/.exec(read('src/dialect/deck/findings.ts'))?.[1] ?? '';
  const names = [...union.matchAll(/'([a-z-]+)'/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  expect([...firstCells(read('docs/deck.md'), 'finding')].sort()).toEqual(names.sort());
});

test('the example in docs/deck.md is valid, and its commands work', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'konverge-deck-'));
  try {
    writeFileSync(join(folder, 'kong.yaml'), blocks(read('docs/deck.md'), 'yaml')[0] ?? '');
    for (const line of shownCommands(read('docs/deck.md'))) {
      const [assignment = '', , ...given] = words(line);
      const [name, value] = assignment.split('=');
      const [code, output] = await runIn(folder, given, (asked) => (asked === name ? value : undefined));
      expect([line, code]).toEqual([line, 0]);
      if (given[0] === 'validate')
        expect(output).toMatch(/^Checked \d+ entities in 1 file: no errors and no warnings\.\n$/);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Runs the command line in a folder, and gives its exit code and all that it printed. */
async function runIn(
  folder: string,
  given: readonly string[],
  env: (name: string) => string | undefined,
): Promise<readonly [number, string]> {
  let output = '';
  const print = (text: string) => {
    output += text;
  };
  const code = await runCommandLine(given, {
    stdout: print,
    stderr: print,
    env,
    cwd: folder,
    colour: { stdout: false, stderr: false },
    logsToTerminal: false,
    signal: new AbortController().signal,
  });
  return [code, output];
}

const status: DaemonStatus = {
  watcher: {
    revision: null,
    signature: { accepted: true, by: 'Ada' },
    checkedAt: null,
    failure: null,
    failingSince: null,
    nextPollAt: null,
  },
  validation: { revision: 'r', valid: true, diagnostics: [], invalidFor: new Set(), at: 0 },
  lanes: [firstStatus('gateway', 0)],
};
const reviews: readonly ReviewerStatus[] = [
  {
    forge: 'GitHub',
    repository: 'r',
    open: 1,
    checkedAt: 0,
    failure: null,
    nextLookAt: 0,
    pullRequests: [{ number: 7, head: 'h', base: 'b', verdict: null, reviewedAt: null }],
    counts: { reviews: 0, failures: 0, posts: 0 },
  },
];
const repositories = [{ label: { url: 'u', branch: 'b', path: 'p' }, status, reviews }];

test('docs/http-api.md has every metric with its labels', () => {
  const text = metricsText(repositories, 0);
  const names = [...text.matchAll(/^# HELP (\S+)/gm)].map(([, name = '']) => name);
  const labels = (name: string) => {
    const [, pairs = ''] = new RegExp(`^${name}\\{(.*)\\} `, 'm').exec(text) ?? [];
    return [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label).join(', ');
  };
  const documented = rows(read('docs/http-api.md'), 'metric').map(([name = '', of]) => [name.replaceAll('`', ''), of]);
  expect(documented).toEqual(names.map((name) => [name, labels(name)]));
});

test('docs/http-api.md shows the status in its form', () => {
  const [shown = '{}'] = blocks(read('docs/http-api.md'), 'json');
  expect(shapeOf(JSON.parse(shown))).toEqual(shapeOf(JSON.parse(JSON.stringify(statusJson(repositories)))));
});

/** The keys of a value, all the way down. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return '';
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}
