import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { konverge } from '../../test/support/command-line.ts';
import type { Outcome } from './outcome.ts';

const place = z.object({ file: z.string(), line: z.int() });

const expectation = z.object({
  about: z.string(),
  valid: z.boolean(),
  edition: z.enum(['oss', 'enterprise']),
  router_flavor: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
  errors: z.array(
    place.extend({ about: z.string(), lines: z.array(z.int()).optional(), related: z.array(place).optional() }),
  ),
});

type Expected = z.infer<typeof expectation>['errors'][number];

const report = z.object({
  valid: z.boolean(),
  diagnostics: z.array(
    z.object({ rule: z.string(), severity: z.string(), message: z.string(), locations: z.array(place) }),
  ),
});

type Reported = z.infer<typeof report>['diagnostics'][number];

/** Runs every case of the validation corpus: each expected place has to be reported, and no other. */
export async function validationCases(folder: string, wanted: (name: string) => boolean): Promise<readonly Outcome[]> {
  // Commands run where no configuration file is.
  const cwd = mkdtempSync(join(tmpdir(), 'konverge-conformance-'));
  try {
    const outcomes: Outcome[] = [];
    for (const name of readdirSync(folder).sort().filter(wanted)) {
      outcomes.push(await runCase(name, join(folder, name), cwd));
    }
    return outcomes;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function runCase(name: string, folder: string, cwd: string): Promise<Outcome> {
  const expected = expectation.parse(JSON.parse(readFileSync(join(folder, 'expected.json'), 'utf8')));
  const group = groupOf(name, expected.valid);
  const settings = [
    `kong.edition=${expected.edition}`,
    `kong.router=${expected.router_flavor ?? 'traditional_compatible'}`,
  ];
  const words = ['validate', '--format', 'json', ...settings.flatMap((set) => ['--set', set]), join(folder, 'repo')];
  const ran = await konverge(words, cwd, expected.env ?? {});
  if (ran.code !== (expected.valid ? 0 : 1) && ran.stdout === '') {
    return { group, name, passed: false, faults: [`exit ${ran.code}: ${ran.stderr.trim()}`] };
  }
  const { diagnostics, valid } = report.parse(JSON.parse(ran.stdout));
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const faults = [
    ...expected.errors
      .filter((one) => !errors.some((error) => isAt(error, one)))
      .map((one) => `not reported: ${one.file}:${one.line} ${one.about}`),
    ...errors
      .filter((error) => !expected.errors.some((one) => isAt(error, one)))
      .map((error) => `not expected: ${where(error)} [${error.rule}] ${error.message}`),
    ...(valid === expected.valid && ran.code === (expected.valid ? 0 : 1) ? [] : [`exit ${ran.code}`]),
  ];
  return { group, name, passed: faults.length === 0, faults };
}

function groupOf(name: string, valid: boolean): string {
  if (!valid) return 'broken';
  return name.startsWith('2') ? 'valid, with a warning' : 'valid';
}

/** Whether an error's place is an expected one: one of its lines, or the other party of the clash. */
function isAt(error: Reported, expected: Expected): boolean {
  const [first] = error.locations;
  if (first === undefined) return false;
  const lines = expected.lines ?? [expected.line];
  if (first.file === expected.file && lines.includes(first.line)) return true;
  return (expected.related ?? []).some((other) => other.file === first.file && other.line === first.line);
}

function where({ locations: [first] }: Reported): string {
  return first === undefined ? '(no place)' : `${first.file}:${first.line}`;
}
