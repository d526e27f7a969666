// How much a large repository takes: npm run bench. Writes decK files, delivers them to an emulated Kong in a process of
// its own, and then measures one process that builds, checks and plans them against it. Prints a table as Markdown.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { sizeOf, total, writeSample } from './sample.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const main = join(root, 'src/main.ts');
const limitMiB = 512;
const sizes = [5_000, 10_000, 20_000];
const judged = 10_000;
const runsEach = 3;

const phases = ['schemas', 'files', 'build', 'read', 'asked', 'check', 'plan'] as const;

const measured = z.object({
  valid: z.literal(true),
  changes: z.literal(0),
  unchanged: z.int(),
  times: z.record(z.enum(phases), z.number()),
  peakMiB: z.number(),
});

type Measured = z.infer<typeof measured> & {
  readonly entities: number;
  readonly files: number;
};

function start(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', ...words], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
}

async function output(words: readonly string[]): Promise<string> {
  const child = start(words);
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const printed = child.stdout === null ? '' : await text(child.stdout);
  const code = await ended;
  if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}: ${printed}`);
  return printed;
}

async function emulator(): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const child = start([main, 'emulate', 'kong']);
  const url = await new Promise<string>((resolve, reject) => {
    let printed = '';
    child.once('close', () => reject(new Error('the emulator ended')));
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const found = /listens at (\S+)\n/.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  return { url, child };
}

async function measure(entities: number): Promise<Measured> {
  const size = sizeOf(entities);
  const folder = await mkdtemp(join(tmpdir(), 'konverge-bench-'));
  const kong = await emulator();
  try {
    const files = await writeSample(folder, size);
    await output([main, 'apply', '--kong', kong.url, folder]);
    const found = await repeated(folder, kong.url);
    if (found.unchanged !== total(size)) throw new Error(`${found.unchanged} of ${total(size)} entities are unchanged`);
    return { ...found, entities, files };
  } finally {
    kong.child.kill('SIGTERM');
    await rm(folder, { recursive: true, force: true });
  }
}

/** The least time of each phase, and the most memory, of a few runs. */
async function repeated(folder: string, url: string): Promise<z.infer<typeof measured>> {
  const runs: z.infer<typeof measured>[] = [];
  for (let run = 0; run < runsEach; run += 1) {
    runs.push(measured.parse(JSON.parse(await output([join(root, 'bench/measured.ts'), folder, url]))));
  }
  const [first] = runs;
  if (first === undefined) throw new TypeError('there is always a run');
  const least = phases.map((phase) => [phase, Math.min(...runs.map(({ times }) => times[phase]))]);
  return {
    ...first,
    peakMiB: Math.max(...runs.map(({ peakMiB }) => peakMiB)),
    times: measured.shape.times.parse(Object.fromEntries(least)),
  };
}

const seconds = (ms: number) => (ms / 1000).toFixed(2);
const words: { readonly [P in (typeof phases)[number]]: string } = {
  schemas: 'load the bundled schemas',
  files: 'read the files',
  build: 'parse, build and check with the bundled schemas',
  read: 'read the live state',
  asked: "ask for the destination's schemas",
  check: "build and check with the destination's schemas",
  plan: 'plan',
};

const results: Measured[] = [];
for (const entities of sizes) {
  process.stderr.write(`${entities} entities…\n`);
  results.push(await measure(entities));
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const ratio = (value: (one: Measured) => number) => {
  const [small, middle, large] = results.map(value);
  const grown = (from = 0, to = 0) => (from === 0 ? '' : (to / from).toFixed(1));
  return [grown(small, middle), grown(middle, large)];
};
const lines = [
  row(['', ...results.map(({ entities }) => `${entities}`), ...['×', '×']]),
  row(['---', ...results.map(() => '---:'), '---:', '---:']),
  row(['files', ...results.map(({ files }) => `${files}`), ...ratio(({ files }) => files)]),
  ...phases.map((phase) =>
    row([
      `${words[phase]}, s`,
      ...results.map(({ times }) => seconds(times[phase])),
      ...ratio(({ times }) => times[phase]),
    ]),
  ),
  row([
    '**peak memory (RSS), MiB**',
    ...results.map(({ peakMiB }) => `${peakMiB}`),
    ...ratio(({ peakMiB }) => peakMiB),
  ]),
];
const [cpu] = cpus();
process.stdout.write(`Node ${process.versions.node}, ${cpus().length} cores (${cpu?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / 1024 ** 3)} GiB, ${process.platform}. Processor seconds, the least of ${runsEach} runs; memory, the most of them.

${lines.join('\n')}
`);
const peak = results.find(({ entities }) => entities === judged)?.peakMiB ?? 0;
process.stdout.write(`\n${judged} entities take ${peak} MiB of the ${limitMiB} MiB that they may take.\n`);
process.exitCode = peak <= limitMiB ? 0 : 1;
