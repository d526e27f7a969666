import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { daemonApi, daemonOptions } from './daemon-api.ts';
import { exitCode } from './io.ts';
import { openSession } from './session.ts';

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
    options: { ...configurationOptions, ...daemonOptions },
    run: async (args, io) => {
      if (args.positionals.length === 0) throw new UsageError('name the destination');
      const api = daemonApi(
        args,
        io,
        await openSession(args, io, { needsFile: args.value('url') === undefined, level: 'error' }),
      );
      try {
        for (const name of args.positionals) {
          await api.post(`/api/v1/destinations/${encodeURIComponent(name)}/${verb}`);
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
  options: { ...configurationOptions, ...daemonOptions },
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
      await api.post(`/api/v1/destinations/${encodeURIComponent(name)}/approve`, { fingerprint });
      io.stdout(`${name}: ${fingerprint} is approved\n`);
    } finally {
      await api.close();
    }
    return exitCode.ok;
  },
};
