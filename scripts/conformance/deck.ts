import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { konverge, type Ran } from '../../test/support/command-line.ts';
import type { Outcome } from './outcome.ts';

const cases = z.array(
  z.object({
    file: z.string().optional(),
    folder: z.string().optional(),
    expect: z.enum(['accept', 'refuse', 'depends', 'unknown']),
    why: z.string().optional(),
  }),
);

const anyKong = ['--set', 'kong.edition=enterprise', '--set', 'kong.version=any'];

/** Runs every case of the decK corpus: what decK takes is taken, what it refuses is refused, and all of it is answered. */
export async function deckCases(folder: string, wanted: (name: string) => boolean): Promise<readonly Outcome[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'konverge-conformance-'));
  try {
    const outcomes: Outcome[] = [];
    for (const { file, folder: inside, expect, why } of cases.parse(read(join(folder, 'cases.json')))) {
      const name = file ?? inside ?? '';
      if (!wanted(name) || !existsSync(join(folder, name))) continue;
      outcomes.push(...(await runCase({ name, path: join(folder, name), expect, why: why ?? '' }, cwd)));
    }
    return outcomes;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** The cases that docs/deck-differences.md gives a reason for. */
export function meantDifferences(root: string): ReadonlySet<string> {
  const page = readFileSync(join(root, 'docs', 'deck-differences.md'), 'utf8');
  return new Set([...page.matchAll(/^\| `((?:deck|reconciler)\/[^`]+)` \|/gm)].map(([, name = '']) => name));
}

interface Case {
  readonly name: string;
  readonly path: string;
  readonly expect: 'accept' | 'refuse' | 'depends' | 'unknown';
  readonly why: string;
}

async function runCase({ name, path, expect, why }: Case, cwd: string): Promise<readonly Outcome[]> {
  const env = { ...variablesOf(path) };
  const ran = await konverge(['validate', '--format', 'json', ...anyKong, path], cwd, env);
  const first = `exit ${ran.code}: ${firstErrors(ran)}`;
  switch (expect) {
    case 'accept': {
      const accepted = outcome('accepted', name, ran.code === 0 ? [] : [first]);
      return ran.code === 0 ? [accepted, await rendersAgain(name, path, env, cwd)] : [accepted];
    }
    case 'refuse':
      return [
        outcome('refused', name, ran.code === 1 && ran.stdout !== '' ? [] : [`exit ${ran.code}; refuse for: ${why}`]),
      ];
    case 'depends':
    case 'unknown':
      return [outcome('answered', name, ran.stdout !== '' && ran.code <= 1 ? [] : [first])];
  }
}

/** Rendered, read and rendered again: the same state, and the same text. */
async function rendersAgain(
  name: string,
  path: string,
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<Outcome> {
  const group = 'rendered and read again';
  const shown = `${name} (rendered)`;
  const once = await konverge(['render', '--ids', ...anyKong, path], cwd, env);
  if (once.code !== 0) return outcome(group, shown, [`render ends with exit ${once.code}: ${once.stderr.trim()}`]);
  writeFileSync(join(cwd, 'again.yaml'), once.stdout);
  const again = await konverge(['render', '--ids', ...anyKong, 'again.yaml'], cwd, env);
  if (again.code !== 0)
    return outcome(group, shown, [`what was rendered is refused: ${again.stderr.trim().slice(0, 300)}`]);
  return outcome(group, shown, again.stdout === once.stdout ? [] : [firstDifference(once.stdout, again.stdout)]);
}

function outcome(group: string, name: string, faults: readonly string[]): Outcome {
  return { group, name, passed: faults.length === 0, faults };
}

function firstDifference(a: string, b: string): string {
  const [left, right] = [a.split('\n'), b.split('\n')];
  const index = left.findIndex((line, at) => line !== right[at]);
  return `rendered again, line ${index + 1} is ${JSON.stringify(right[index])}, and was ${JSON.stringify(left[index])}`;
}

const report = z.object({
  diagnostics: z.array(
    z.object({
      rule: z.string(),
      severity: z.string(),
      message: z.string(),
      locations: z.array(z.object({ line: z.int() })),
    }),
  ),
});

function firstErrors(ran: Ran): string {
  if (ran.stdout === '') return ran.stderr.trim().slice(0, 300);
  const { diagnostics } = report.parse(JSON.parse(ran.stdout));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  return errors
    .slice(0, 4)
    .map(({ rule, message, locations }) => `line ${locations[0]?.line} [${rule}] ${message}`)
    .join(' | ');
}

/** Every variable of decK that the files name, set to `10`. */
function variablesOf(path: string): Readonly<Record<string, string>> {
  const files = statSync(path).isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  const names = files
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => readFileSync(file, 'utf8').match(/DECK_\w+/g) ?? []);
  return Object.fromEntries(names.map((name) => [name, '10']));
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
