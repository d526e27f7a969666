import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { reasonOf } from '../config/interpolate.ts';
import { pulledWords } from '../daemon/assumed.ts';
import { openWorld } from '../daemon/edge.ts';
import { openDestination } from '../destination/open.ts';
import { ownSchemas } from '../destination/reading/own-schemas.ts';
import { jsonEqual } from '../model/json.ts';
import { makeFolder } from '../platform/make-folder.ts';
import { type PulledSchemas, pulledText, readPulled } from '../schema/pulled.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions, destinationOptions } from './common-options.ts';
import { exitCode, type Io } from './io.ts';
import { openSession } from './session.ts';

/** `konverge schemas pull`: keep a destination's own schemas for offline checks. */
export const schemas: Command = {
  name: 'schemas',
  summary: 'Keep the schemas of a destination, those of its own plugins too, for checks that ask no destination',
  positionals: 'pull',
  options: {
    ...configurationOptions,
    from: { value: 'NAME', help: 'the destination of the configuration to ask' },
    kong: destinationOptions['kong'] ?? { help: '' },
    header: destinationOptions['header'] ?? { help: '' },
    out: { value: 'FILE', help: 'where to write them (default: schemas/NAME.json beside the configuration)' },
    check: { help: 'write nothing, and exit 1 where the file is not what would be written' },
  },
  run: async (args, io) => {
    if (args.positionals[0] !== 'pull' || args.positionals.length > 1) throw new UsageError('say what to do: pull');
    const session = await openSession(args, io, { needsFile: args.value('kong') === undefined, level: 'warn' });
    const { configuration } = session;
    const { destinationNames } = configuration;
    const added = args.value('kong') === undefined ? undefined : 'kong';
    const only = destinationNames.length === 1 ? destinationNames[0] : undefined;
    if (added !== undefined && args.value('from') !== undefined) {
      throw new UsageError('--kong and --from exclude each other');
    }
    const name = added ?? args.value('from') ?? only;
    if (name === undefined || !destinationNames.includes(name)) {
      throw new UsageError(`name a destination with --from; there are: ${destinationNames.join(', ') || 'none'}`);
    }
    const file = resolve(io.cwd, args.value('out') ?? configuration.schemasPath(name));
    const destination = openDestination(configuration.destination(name), await openWorld());
    try {
      const today = new Date().toISOString().slice(0, 10);
      const pulled = await ownSchemas(destination, today, io.signal);
      return await kept(file, pulled, args.has('check'), io);
    } finally {
      await destination.close();
    }
  },
};

/** Writes what was pulled, or says whether that is there already: a file that says the same is left as it is. */
async function kept(file: string, pulled: PulledSchemas, onlyCheck: boolean, io: Io): Promise<number> {
  const beside = relative(io.cwd, file);
  const shown = beside.startsWith('..') ? file : beside;
  const plugins = Object.keys(pulled.plugins).length;
  if (plugins === 0) {
    io.stderr(`konverge: ${pulled.from} gave the schema of no plugin, so nothing was written\n${withheldHint(pulled)}`);
    return exitCode.failed;
  }
  const left = pulled.withheld.length;
  if (left > 0) {
    io.stderr(`konverge: ${left} left out, which this user may not read: ${pulled.withheld.join(', ')}\n`);
    io.stderr(withheldHint(pulled));
  }
  const before = await readBefore(file);
  if (before !== null && isSame(before, pulled)) {
    io.stdout(`${shown} is what ${pulled.from} has: ${plugins} plugins\n`);
    return exitCode.ok;
  }
  if (onlyCheck) {
    io.stdout(`${shown} ${before === null ? 'is not there, or cannot be used' : differs(before, pulled)}\n`);
    return exitCode.failed;
  }
  await written(file, pulledText(pulled), shown);
  const entities = Object.keys(pulled.entities).length;
  io.stdout(`${shown}: ${plugins} plugins and ${entities} kinds of entities; ${pulledWords(pulled)}\n`);
  return exitCode.ok;
}

/** Writes a file whole or not at all. Throws UsageError where it cannot be written. */
async function written(file: string, text: string, shown: string): Promise<void> {
  const beside = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    await makeFolder(dirname(file));
    await writeFile(beside, text);
    await rename(beside, file);
  } catch (thrown) {
    throw new UsageError(`cannot write ${shown}${reasonOf(thrown)}`);
  } finally {
    await rm(beside, { force: true }).catch(() => undefined);
  }
}

function withheldHint({ withheld }: PulledSchemas): string {
  return withheld.length === 0 ? '' : '  Let it read /schemas; what Konverge brings stands in for them until then.\n';
}

/** What a file holds by now; null where there is none, or none that can be used. */
async function readBefore(file: string): Promise<PulledSchemas | null> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return null;
    throw thrown;
  }
  const read = readPulled(text);
  return 'pulled' in read ? read.pulled : null;
}

/** Whether two say the same, whenever they were asked. */
function isSame(one: PulledSchemas, other: PulledSchemas): boolean {
  return pulledText({ ...one, pulled: other.pulled }) === pulledText(other);
}

/** What differs, by name. */
function differs(before: PulledSchemas, now: PulledSchemas): string {
  const versions = before.kong.version === now.kong.version ? '' : ` (${before.kong.version}, now ${now.kong.version})`;
  const names = [...new Set([...Object.keys(before.plugins), ...Object.keys(now.plugins)])].sort();
  const other = names.filter((name) => !jsonEqual(before.plugins[name], now.plugins[name]));
  const which = other.length === 0 ? '' : `: ${other.slice(0, 10).join(', ')}${other.length > 10 ? ', …' : ''}`;
  return `is not what ${now.from} has${versions}${which}`;
}
