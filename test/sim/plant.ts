import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { LaneWorld } from '../../src/lane/lane-world.ts';
import { additions, type Mutant } from './mutants.ts';
import type { MakeLane } from './sim-lane.ts';

const shipped = fileURLToPath(new URL('../../src/lane/', import.meta.url));
const shippedGates = fileURLToPath(new URL('../../src/daemon/gates.ts', import.meta.url));

/**
 * Loads the shipped lane, and the gate of the daemon, with a fault planted in them: their files are copied, one is changed, and the copies
 * import the rest of the house from where it is. Throws where the text to be replaced is not there exactly once.
 */
export async function plant(mutant: Mutant | null): Promise<MakeLane> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-mutant-'));
  try {
    for (const file of await readdir(shipped)) {
      const text = await readFile(join(shipped, file), 'utf8');
      await writeFile(join(folder, file), elsewhere(file === mutant?.file ? mutated(text, mutant) : text));
    }
    const { Lane }: typeof import('../../src/lane/lane.ts') = await import(
      /* @vite-ignore */ pathToFileURL(join(folder, 'lane.ts')).href
    );
    const gates = join(folder, 'gates.ts');
    const text = await readFile(shippedGates, 'utf8');
    await writeFile(gates, elsewhere(mutant?.file === 'gates.ts' ? mutated(text, mutant) : text));
    const { gateOf }: typeof import('../../src/daemon/gates.ts') = await import(
      /* @vite-ignore */ pathToFileURL(gates).href
    );
    return Object.assign((world: LaneWorld) => new Lane(world), { gateOf });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const shippedKong = fileURLToPath(new URL('../../src/destination/kong/', import.meta.url));

/** The same for the destination of DB-less nodes. */
export async function plantDbless(
  mutant: Mutant,
): Promise<
  typeof import('../../src/destination/kong/dbless.ts') & typeof import('../../src/destination/kong/node-health.ts')
> {
  const folder = await mkdtemp(join(tmpdir(), 'konverge-mutant-'));
  try {
    for (const file of await readdir(shippedKong)) {
      const text = await readFile(join(shippedKong, file), 'utf8');
      await writeFile(join(folder, file), elsewhere(file === mutant.file ? mutated(text, mutant) : text, shippedKong));
    }
    const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href);
    return { ...(await load('dbless.ts')), ...(await load('node-health.ts')) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

function mutated(text: string, { name, file, find, replace }: Mutant): string {
  const parts = text.split(find);
  if (parts.length !== 2) throw new Error(`"${name}": what it replaces is ${parts.length - 1} times in ${file}`);
  return parts.join(replace) + (additions[file] ?? '');
}

/** Imports of other folders, which lie one or two above, by their full path. */
function elsewhere(text: string, from: string = shipped): string {
  return text.replaceAll(/from '(\.\.\/[^']+)'/g, (_, path: string) => `from '${join(from, path)}'`);
}
