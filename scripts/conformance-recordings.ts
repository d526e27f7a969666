// Replays the recorded exchanges of a real Kong against the emulators, and compares the outcome with the list of known
// disagreements. Run: node --import tsx scripts/conformance-recordings.ts [FILE…]
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type RunningEmulator, startEmulator } from '../src/emulator/server.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const shared = join(root, '..', 'shared');
const replayer = join(shared, 'tools', 'replay.mjs');

/** Exchanges that are known to differ, and why. */
const known = z
  .array(z.strictObject({ file: z.string(), index: z.int(), reason: z.string() }))
  .parse(JSON.parse(readFileSync(join(root, 'test/conformance/recordings-known.json'), 'utf8')));

/** How many of all may differ, in percent. */
const mostPercent = 1;

interface Outcome {
  readonly file: string;
  readonly agreed: number;
  readonly compared: number;
  readonly differing: readonly { readonly index: number; readonly line: string }[];
}

function isKnown(file: string, index: number): boolean {
  return known.some((entry) => entry.file === file && entry.index === index);
}

function replay(
  file: string,
  emulators: { readonly db: RunningEmulator; readonly dbless: RunningEmulator },
): Promise<Outcome> {
  const { db, dbless } = emulators;
  const posts = [db.controlUrl, dbless.controlUrl].map((url) => `fetch('${url}/reset',{method:'POST'})`);
  const reset = `"${process.execPath}" -e "Promise.all([${posts.join(',')}])"`;
  const options = ['--db', db.url, '--dbless', dbless.url, '--show', '100000', '--reset', reset];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [replayer, ...options, file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    child.once('error', reject);
    child.once('close', () => {
      const outcome = read(basename(file), text);
      // A replay that broke off has no total, and has proved nothing.
      if (outcome === null) reject(new Error(`the replay of ${basename(file)} did not end: ${text.slice(-300)}`));
      else resolve(outcome);
    });
  });
}

function read(file: string, text: string): Outcome | null {
  const total = /: (\d+) of (\d+)$/m.exec(text);
  if (total === null) return null;
  const differing = text.split('\n').flatMap((line) => {
    const found = line.startsWith(`${file}[`) ? /^[^[]+\[(\d+)\]/.exec(line) : null;
    return found === null ? [] : [{ index: Number(found[1]), line }];
  });
  return { file, agreed: Number(total[1]), compared: Number(total[2]), differing };
}

async function main(): Promise<number> {
  if (!existsSync(replayer)) {
    console.log('The recordings are not beside this project (../shared/recordings): nothing was replayed.');
    return 0;
  }
  const folder = join(shared, 'recordings');
  const asked = process.argv.slice(2);
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json') && (asked.length === 0 || asked.includes(name)))
    .sort();
  const db = await startEmulator({ flavour: 'kong', port: 0, controlPort: 0 });
  const dbless = await startEmulator({ flavour: 'dbless', port: 0, controlPort: 0 });
  let agreed = 0;
  let compared = 0;
  const unexpected: string[] = [];
  const settled: string[] = [];
  console.log(`${'recordings'.padEnd(32)} ${'agree'.padStart(7)} ${'of'.padStart(5)} ${'known'.padStart(6)}`);
  for (const file of files) {
    const outcome = await replay(join(folder, file), { db, dbless });
    const expected = outcome.differing.filter(({ index }) => isKnown(outcome.file, index));
    unexpected.push(...outcome.differing.filter(({ index }) => !isKnown(outcome.file, index)).map(({ line }) => line));
    settled.push(
      ...known
        .filter((entry) => entry.file === file && !outcome.differing.some(({ index }) => index === entry.index))
        .map((entry) => `${entry.file}[${entry.index}]`),
    );
    agreed += outcome.agreed;
    compared += outcome.compared;
    console.log(
      `${file.padEnd(32)} ${String(outcome.agreed).padStart(7)} ${String(outcome.compared).padStart(5)} ${String(expected.length).padStart(6)}`,
    );
  }
  await Promise.all([db.close(), dbless.close()]);
  console.log(`${'all'.padEnd(32)} ${String(agreed).padStart(7)} ${String(compared).padStart(5)}`);
  for (const name of settled) console.log(`${name} agrees now: take it out of test/conformance/recordings-known.json`);
  for (const line of unexpected) console.log(`differs, and is not known to: ${line.slice(0, 400)}`);
  for (const { file, index, reason } of known) {
    if (files.includes(file)) console.log(`known to differ: ${file}[${index}]: ${reason}`);
  }
  const share = compared === 0 ? 0 : (100 * (compared - agreed)) / compared;
  console.log(
    `${agreed} of ${compared} agree; ${share.toFixed(2)}% differ (at most ${mostPercent}% may, each with its reason)`,
  );
  // The share is one of all recordings; of a file alone it says nothing.
  const isTooMuch = asked.length === 0 && share > mostPercent;
  return unexpected.length === 0 && !isTooMuch && files.length > 0 ? 0 : 1;
}

process.exitCode = await main();
