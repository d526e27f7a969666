#!/usr/bin/env node
import { setMaxListeners } from 'node:events';
import type { Io } from './cli/io.ts';
import { exitCode } from './cli/io.ts';
import { runCommandLine } from './cli/run-command-line.ts';

// One signal stops everything, so that each request under way listens to it: Node's warning at ten is no leak.
setMaxListeners(1_000);
const stop = new AbortController();
let asked: NodeJS.Signals | null = null;
const onSignal = (signal: NodeJS.Signals) => {
  // The second one ends the process at once, as people expect of it.
  process.off(signal, onSignal);
  asked = signal;
  stop.abort(new Error(`stopped by ${signal}`));
};
const signals = ['SIGINT', 'SIGTERM'] as const;
for (const signal of signals) process.on(signal, onSignal);

/** A handler runs between two steps only, and a computation is one: without any, the system ends the process. */
function endAtOnce(): void {
  for (const signal of signals) process.off(signal, onSignal);
  if (asked !== null) process.kill(process.pid, asked);
}

/** Writes to one of the process's streams. Once that fails, what is still written goes nowhere, and the work goes on. */
function writer(stream: NodeJS.WriteStream, failed: (error: NodeJS.ErrnoException) => void): (text: string) => void {
  let isOpen = true;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isFirst = isOpen;
    isOpen = false;
    if (isFirst) failed(error);
  });
  return (text) => {
    if (isOpen) stream.write(text);
  };
}

/** A log reader that went away, or a full disk below it, is no reason to stop delivering. */
const stderr = writer(process.stderr, () => undefined);
let isResultLost = false;
const stdout = writer(process.stdout, (error) => {
  // A reader that had enough (`konverge plan | head`) is no fault; a result that could not be written down is one.
  if (error.code === 'EPIPE') return;
  isResultLost = true;
  stderr(`konverge: the result cannot be written: ${error.code ?? error.message}\n`);
  if (process.exitCode === exitCode.ok) process.exitCode = exitCode.failed;
});

const mayColour = (stream: { readonly isTTY?: boolean }) => stream.isTTY === true && !process.env['NO_COLOR'];
const io: Io = {
  stdout,
  stderr,
  env: (name) => process.env[name],
  envNames: () => Object.keys(process.env),
  cwd: process.cwd(),
  colour: { stdout: mayColour(process.stdout), stderr: mayColour(process.stderr) },
  resultsToTerminal: process.stdout.isTTY === true,
  logsToTerminal: process.stderr.isTTY === true,
  signal: stop.signal,
  endAtOnce,
};

const code = await runCommandLine(process.argv.slice(2), io);
process.exitCode = isResultLost && code === exitCode.ok ? exitCode.failed : code;
