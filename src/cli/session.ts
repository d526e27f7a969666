import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { BuildSettings } from '../build/built.ts';
import { ConfigurationError } from '../config/configuration-error.ts';
import { type ConfigurationSources, checkDestinationNames, loadConfiguration } from '../config/load.ts';
import type { Configuration } from '../config/settings.ts';
import { type Assumed, assumptions } from '../daemon/assumed.ts';
import type { Log } from '../platform/log.ts';
import { createLog } from '../platform/pino-log.ts';
import { Redactor } from '../platform/redact.ts';
import type { Arguments } from './arguments.ts';
import { UsageError } from './arguments.ts';
import { wordFaults } from './check-words.ts';
import type { Io } from './io.ts';

/** What a command works with once its configuration is read. */
export interface Session {
  readonly configuration: Configuration;
  /** The folder that the configuration's own paths start from. */
  readonly folder: string;
  readonly redactor: Redactor;
  readonly log: Log;
  /**
   * What is assumed of a destination before it is asked, or (null) of a Kong where none is meant. Throws
   * ConfigurationError where that is in a file that cannot be used.
   */
  readonly assumed: (name: string | null) => Assumed;
  /** Everything of a build but the scope and what is assumed. */
  readonly settings: Omit<BuildSettings, 'scope' | keyof Assumed['settings']>;
}

const defaultFile = 'konverge.yaml';

/** What a command says about its log. */
export interface SessionOptions {
  /** Whether the command does without a configuration file (it was given files, or an address). */
  readonly needsFile: boolean;
  /** The least severe level that is logged. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
}

/** Reads the configuration that a command's options name. Throws ConfigurationError. */
export async function openSession(args: Arguments, io: Io, options: SessionOptions): Promise<Session> {
  return sessionOf(configurationFile(args, io, options), args, io, options, new Redactor());
}

/**
 * Reads each of the configurations that a command's options name, where it takes several: they share the secrets that
 * are kept out of every log. Throws ConfigurationError, also where two have a destination of one name.
 */
export async function openSessions(args: Arguments, io: Io, options: SessionOptions): Promise<readonly Session[]> {
  const files = args.values('config');
  if (files.length < 2) return [await openSession(args, io, options)];
  const redactor = new Redactor();
  const sessions = await Promise.all(files.map((file) => sessionOf(file, args, io, options, redactor)));
  checkDestinationNames(sessions.map(({ configuration }) => configuration));
  return sessions;
}

async function sessionOf(
  file: string | null,
  args: Arguments,
  io: Io,
  options: SessionOptions,
  redactor: Redactor,
): Promise<Session> {
  const sources: ConfigurationSources = {
    env: io.env,
    cwd: io.cwd,
    readFile: (path) => readFileSync(resolve(io.cwd, path), 'utf8'),
    secret: (value) => redactor.register(value),
    words: wordFaults,
  };
  const url = args.value('kong');
  const headers = args.values('header');
  if (url === undefined && headers.length > 0) throw new UsageError('--header goes with --kong');
  if (url !== undefined && args.values('to').length > 0) throw new UsageError('--kong and --to exclude each other');
  const configuration = loadConfiguration(
    file === null ? [] : [file],
    { set: args.values('set'), kong: url === undefined ? null : { url, headers } },
    sources,
  );
  return {
    configuration,
    folder: file === null ? io.cwd : dirname(resolve(io.cwd, file)),
    redactor,
    log: createLog({
      format: io.logsToTerminal ? 'pretty' : 'json',
      level: options.level,
      stream: { write: (line) => io.stderr(line) },
      colour: io.colour.stderr,
      redactor,
      now: () => Date.now(),
    }),
    assumed: (await assumptions(configuration)).of,
    settings: {
      rules: configuration.rules(),
      environment: io.env,
      instant: Date.now(),
      configuration: file === null ? [defaultFile] : [relative(io.cwd, resolve(io.cwd, file)), defaultFile],
      ignore: configuration.files().ignore,
      kubernetes: configuration.kubernetes(),
    },
  };
}

function configurationFile(args: Arguments, io: Io, options: SessionOptions): string | null {
  const named = args.value('config');
  if (named !== undefined) return named;
  if (existsSync(join(io.cwd, defaultFile))) return defaultFile;
  if (!options.needsFile) return null;
  const message = `there is no configuration file: looked for ${join(io.cwd, defaultFile)}`;
  const hint =
    'Name another with --config FILE, or write one: config/ of Konverge has examples, docs/configuration.md every key';
  throw new ConfigurationError([{ key: '', message, hint, place: null }]);
}

/** The destinations that a command is about: those named, or the only one, or (with `all`) every one. Throws UsageError. */
export function chosenDestinations(args: Arguments, configuration: Configuration, all: boolean): readonly string[] {
  const names = configuration.destinationNames;
  const wanted = args.values('to');
  for (const name of wanted) {
    if (!names.includes(name)) {
      const there = names.length === 0 ? 'the configuration has none' : `there are: ${names.join(', ')}`;
      throw new UsageError(`there is no destination "${name}"; ${there}`);
    }
  }
  if (wanted.length > 0) return [...new Set(wanted)];
  if (names.length === 0) {
    throw new UsageError('there is no destination: name one with --kong, or in the configuration');
  }
  if (all || names.length === 1) return names;
  throw new UsageError(`choose with --to NAME or --all; there are: ${names.join(', ')}`);
}
