#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import type { Io } from './cli/io.ts';
import { runCommandLine } from './cli/run-command-line.ts';

// One signal stops everything, so that each request under way listens to it: Node's warning at ten is no leak.
setMaxListeners(1_000);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    // The second one ends the process at once, as people expect of it.
    stop.abort(new Error(`stopped by ${signal}`));
  });
}
// A reader that went away (`konverge plan | head`) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const mayColour = (stream: { readonly isTTY?: boolean }) => stream.isTTY === true && !process.env['NO_COLOR'];
const io: Io = {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  env: (name) => process.env[name],
  cwd: process.cwd(),
  colour: { stdout: mayColour(process.stdout), stderr: mayColour(process.stderr) },
  logsToTerminal: process.stderr.isTTY === true,
  signal: stop.signal,
};

process.exitCode = await runCommandLine(process.argv.slice(2), io);
