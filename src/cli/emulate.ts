import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { reasonOf } from '../config/interpolate.ts';
import { startEmulator } from '../emulator/server.ts';
import type { AddedPlugins } from '../emulator/state/added-plugins.ts';
import type { Json } from '../model/json.ts';
import { type Arguments, oneOf, portOf, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCode, type Io } from './io.ts';

const versions = ['3.4', '3.5', '3.6', '3.7', '3.8', '3.9', '3.10', '3.11', '3.12', '3.13', '3.14', '3.15'];

/** `konverge emulate`: an in-memory Kong or Konnect on loopback, until it is stopped. */
export const emulate: Command = {
  name: 'emulate',
  summary: 'Run an emulator of Kong (with a database or DB-less) or Konnect on loopback',
  positionals: 'kong|dbless|konnect',
  options: {
    port: { value: 'N', help: 'the port of its API (default: a free one)' },
    'control-port': { value: 'N', help: 'the port of its control server (default: a free one)' },
    edition: { value: 'EDITION', help: 'oss or enterprise (default: oss, and enterprise for konnect)' },
    version: { value: 'VERSION', help: '3.4 to 3.15 (default: 3.9)' },
    plugin: {
      value: 'NAME=FILE',
      repeatable: true,
      help: 'a plugin of your own, by the schema that Kong serves of it',
    },
  },
  run: async (args, io) => {
    const [flavour, ...more] = args.positionals;
    if (more.length > 0 || (flavour !== 'kong' && flavour !== 'dbless' && flavour !== 'konnect')) {
      throw new UsageError('say what to emulate: kong, dbless or konnect');
    }
    const version = args.value('version') ?? '3.9';
    if (!versions.includes(version)) throw new UsageError(`--version has to be one of ${versions.join(', ')}`);
    const emulator = await startEmulator({
      flavour,
      port: portOf(args, 'port') ?? 0,
      controlPort: portOf(args, 'control-port') ?? 0,
      // Konnect has no other.
      edition: oneOf(args, 'edition', flavour === 'konnect' ? ['enterprise', 'oss'] : ['oss', 'enterprise']),
      version,
      plugins: await pluginsOf(args, io),
    }).catch((thrown: unknown) => {
      throw new UsageError(whyNot(thrown));
    });
    io.stdout(`${flavour} listens at ${emulator.url}\ncontrol listens at ${emulator.controlUrl}\n`);
    await stopped(io.signal);
    await emulator.close();
    return exitCode.ok;
  },
};

/** The plugins that were named, with their schemas. Throws UsageError where one cannot be read. */
async function pluginsOf(args: Arguments, io: Io): Promise<AddedPlugins> {
  const plugins: { [name: string]: Json } = {};
  for (const written of args.values('plugin')) {
    const [, name = '', file = ''] = /^([^=]+)=(.+)$/s.exec(written) ?? [];
    if (name === '') throw new UsageError('--plugin has to be NAME=FILE');
    try {
      plugins[name] = z.json().parse(JSON.parse(await readFile(resolve(io.cwd, file), 'utf8')));
    } catch (thrown) {
      throw new UsageError(`--plugin ${name}: ${file} cannot be read${reasonOf(thrown)}, or is no JSON`);
    }
  }
  return plugins;
}

/** What kept the emulator from starting: a plugin's schema, or a port. */
function whyNot(thrown: unknown): string {
  if (thrown instanceof TypeError) return thrown.message;
  const port = z.object({ code: z.literal('EADDRINUSE'), port: z.number() }).safeParse(thrown);
  if (port.success) {
    return `port ${port.data.port} is taken; choose another with --port or --control-port, or none for a free one`;
  }
  return `cannot listen: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
