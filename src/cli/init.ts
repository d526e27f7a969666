import { access, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { reasonOf } from '../config/interpolate.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCode, type Io } from './io.ts';
import { type StarterFile, starterFiles } from './starter-files.ts';

/** `konverge init`: write a starter repository. */
export const init: Command = {
  name: 'init',
  summary: 'Write a starter repository: a configuration, a first file for Kong, and what goes with them',
  positionals: '[DIR]',
  options: {},
  run: async (args, io) => {
    const [folder = '.', ...more] = args.positionals;
    if (more.length > 0) throw new UsageError('init takes one DIR');
    const there = await Promise.all(starterFiles.map(({ path }) => exists(resolve(io.cwd, folder, path))));
    const inTheWay = starterFiles.filter(({ ifThere }, index) => there[index] === true && ifThere === null);
    if (inTheWay.length > 0) {
      const names = inTheWay.map(({ path }) => join(folder, path)).join(' and ');
      const word = inTheWay.length === 1 ? 'is' : 'are';
      io.stderr(`konverge: ${names} ${word} there already, so nothing was written\n  Name another folder.\n`);
      return exitCode.failed;
    }
    for (const file of starterFiles) await write(file, folder, io);
    const into = folder === '.' ? '' : `cd ${folder} && `;
    io.stdout(`\nNext: \`${into}konverge validate\`. What else there is to do stands in README.md.\n`);
    return exitCode.ok;
  },
};

/** Writes one file, or leaves one that is there and says what it should have. */
async function write({ path, text, ifThere }: StarterFile, folder: string, io: Io): Promise<void> {
  const file = resolve(io.cwd, folder, path);
  const shown = join(folder, path);
  try {
    await makeFolder(dirname(file));
    await writeFile(file, text, { flag: 'wx' });
    io.stdout(`${shown}: written\n`);
  } catch (thrown) {
    if (reasonOf(thrown) === ' (EEXIST)' && ifThere !== null && (await exists(file))) {
      io.stdout(`${shown}: left as it is. ${ifThere}\n`);
      return;
    }
    throw new UsageError(`cannot write ${shown}${reasonOf(thrown)}`);
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}
