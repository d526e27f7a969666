import { type Arguments, type Options, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { daemonApi, daemonOptions } from './daemon-api.ts';
import { exitCode, type Io } from './io.ts';
import { openSession } from './session.ts';

/** Who steers and why: a running daemon tells it in its history. */
const givenOptions: Options = {
  who: { value: 'NAME', help: 'who does it, for the history (default: the user of this shell)' },
  reason: { value: 'TEXT', help: 'why, for the history' },
};

const longest = 200;

function given(args: Arguments, io: Io): object {
  const who = args.value('who') ?? io.env('USER') ?? io.env('LOGNAME') ?? '';
  const reason = args.value('reason') ?? '';
  if (who.length > longest || reason.length > longest) {
    throw new UsageError(`--who and --reason have at most ${longest} characters`);
  }
  return { ...(who === '' ? {} : { who }), ...(reason === '' ? {} : { reason }) };
}

type Verb = 'sync' | 'suspend' | 'resume';

const words: { readonly [V in Verb]: { readonly summary: string; readonly done: string } } = {
  sync: { summary: 'Have a running daemon look at a destination now', done: 'is looked at now' },
  suspend: { summary: 'Have a running daemon stop delivering to a destination', done: 'is suspended' },
  resume: { summary: 'Have a running daemon go on delivering to a destination', done: 'is delivered to again' },
};

function steering(verb: Verb): Command {
  return {
    name: verb,
    summary: words[verb].summary,
    positionals: 'NAME…',
    options: { ...configurationOptions, ...daemonOptions, ...givenOptions },
    run: async (args, io) => {
      if (args.positionals.length === 0) throw new UsageError('name the destination');
      const api = daemonApi(
        args,
        io,
        await openSession(args, io, { needsFile: args.value('url') === undefined, level: 'error' }),
      );
      try {
        for (const name of args.positionals) {
          await api.post(`/api/v1/destinations/${encodeURIComponent(name)}/${verb}`, given(args, io));
          io.stdout(`${name} ${words[verb].done}\n`);
        }
      } finally {
        await api.close();
      }
      return exitCode.ok;
    },
  };
}

/** `konverge sync`: have a destination looked at now. */
export const sync: Command = steering('sync');

/** `konverge suspend`: stop delivering to a destination. */
export const suspend: Command = steering('suspend');

/** `konverge resume`: go on delivering to a destination. */
export const resume: Command = steering('resume');

/** `konverge approve`: let a held plan through, once. */
export const approve: Command = {
  name: 'approve',
  summary: 'Let a held plan of a running daemon through, once',
  positionals: 'NAME FINGERPRINT',
  options: { ...configurationOptions, ...daemonOptions, ...givenOptions },
  run: async (args, io) => {
    const [name, fingerprint, ...more] = args.positionals;
    if (name === undefined || fingerprint === undefined || more.length > 0) {
      throw new UsageError('name the destination and the fingerprint of its plan');
    }
    const api = daemonApi(
      args,
      io,
      await openSession(args, io, { needsFile: args.value('url') === undefined, level: 'error' }),
    );
    try {
      await api.post(`/api/v1/destinations/${encodeURIComponent(name)}/approve`, { fingerprint, ...given(args, io) });
      io.stdout(`${name}: ${fingerprint} is approved\n`);
    } finally {
      await api.close();
    }
    return exitCode.ok;
  },
};
