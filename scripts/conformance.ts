// Runs the reference corpora that may stand beside this project over it, and compares with what passed before:
//   npm run conformance [-- [recordings] [validation] [deck] [apply] [kubernetes] [--only TEXT] [--show] [--update]]
// `--show` says of each case that fails why; `--only` runs the cases whose name has the text; `--update` keeps what
// passes now as the new baseline. Exit 1 when a case fails that passed before.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { applyCases } from './conformance/apply.ts';
import { deckCases, meantDifferences } from './conformance/deck.ts';
import { kubernetesCases } from './conformance/kubernetes.ts';
import { orderCases } from './conformance/order.ts';
import { type Outcome, readBaseline, table, writeBaseline } from './conformance/outcome.ts';
import { validationCases } from './conformance/validation.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const corpus = join(root, '..', 'shared', 'corpus');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, show: { type: 'boolean' }, update: { type: 'boolean' } },
});
const only = values.only ?? '';
const wanted = (name: string) => name.includes(only);

type Part = 'recordings' | 'validation' | 'deck' | 'apply' | 'kubernetes';

const parts: { readonly [P in Part]: () => Promise<boolean> } = {
  recordings: replayRecordings,
  validation: () => {
    const folder = join(corpus, 'validation');
    return judge('validation', folder, async () => [
      ...(await validationCases(folder, wanted)),
      ...(await orderCases(folder, wanted)),
    ]);
  },
  deck: () => {
    const folder = join(corpus, 'deck');
    return judge('deck', folder, () => deckCases(folder, wanted), meantDifferences(root));
  },
  apply: () => {
    const folder = join(corpus, 'deck');
    return judge('apply', folder, () => applyCases(folder, wanted, values.show === true));
  },
  kubernetes: () => {
    const folder = join(corpus, 'kubernetes');
    return judge('kubernetes', folder, () => kubernetesCases(folder, wanted));
  },
};

/** Runs one corpus and prints how it went; false when a case fails that passed before. */
async function judge(
  part: Part,
  folder: string,
  run: () => Promise<readonly Outcome[]>,
  meant: ReadonlySet<string> | null = null,
): Promise<boolean> {
  if (!existsSync(folder)) {
    console.log(`The ${part} corpus is not beside this project (../shared/corpus/${part}): nothing was run.`);
    return true;
  }
  const path = join(root, 'test', 'conformance', `${part}.json`);
  const outcomes = await run();
  console.log(`\n${table(part, outcomes)}`);
  const failed = outcomes.filter(({ passed }) => !passed);
  if (values.show) for (const { name, faults } of failed) console.log(`\n${name}\n  ${faults.join('\n  ')}`);
  else if (failed.length > 0) console.log(`failing: ${failed.map(({ name }) => name).join(', ')}`);
  if (values.update && only === '') writeBaseline(path, outcomes);
  const before = existsSync(path) ? new Set(readBaseline(path)) : new Set<string>();
  const lost = failed.filter(({ name }) => before.has(name));
  for (const { name, faults } of lost) console.log(`passed before, and fails: ${name}\n  ${faults.join('\n  ')}`);
  const gained = outcomes.filter(({ name, passed }) => passed && !before.has(name));
  if (gained.length > 0) console.log(`${gained.length} pass that did not before: run with --update to keep that.`);
  return lost.length === 0 && (meant === null || areMeant(failed, outcomes.length, meant));
}

/** Whether all that fails is a difference that the documentation gives a reason for, and at most 1% of the cases. */
function areMeant(failed: readonly Outcome[], count: number, meant: ReadonlySet<string>): boolean {
  const others = failed.filter(({ name }) => !meant.has(name));
  const share = (100 * (failed.length - others.length)) / Math.max(count, 1);
  console.log(`meant differences: ${failed.length - others.length} (${share.toFixed(2)}%); others: ${others.length}`);
  return others.length === 0 && (share <= 1 || only !== '');
}

function replayRecordings(): Promise<boolean> {
  const script = join(root, 'scripts', 'conformance-recordings.ts');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', script], { cwd: root, stdio: 'inherit' });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

const isPart = (word: string): word is Part => Object.hasOwn(parts, word);
const unknown = positionals.find((word) => !isPart(word));
if (unknown !== undefined) {
  console.error(`there is no part "${unknown}"; there are: ${Object.keys(parts).join(', ')}`);
  process.exitCode = 64;
} else {
  const chosen = positionals.length > 0 ? positionals.filter(isPart) : Object.keys(parts).filter(isPart);
  const good: boolean[] = [];
  for (const part of chosen) good.push(await parts[part]());
  process.exitCode = good.every(Boolean) ? 0 : 1;
}
