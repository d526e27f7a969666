import { ConfigurationError } from '../config/configuration-error.ts';
import { asFailure, faultText } from '../platform/failure.ts';
import { readArguments, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { commandNames, commandSummaries, findCommand } from './commands.ts';
import { failureText } from './failure-text.ts';
import { fileErrorText } from './file-error.ts';
import { exitCode, type Io } from './io.ts';
import { version } from './version.ts';

/** Runs the command line and gives its exit code. Nothing is thrown: what goes wrong is printed to standard error. */
export async function runCommandLine(words: readonly string[], io: Io): Promise<number> {
  const [name, ...rest] = words;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const wanted = name === 'help' ? rest[0] : undefined;
    const command = wanted === undefined ? undefined : await findCommand(wanted);
    io.stdout(command === undefined ? overview() : usage(command));
    return name === undefined ? exitCode.usage : exitCode.ok;
  }
  if (name === '--version' || name === 'version') {
    io.stdout(`${version}\n`);
    return exitCode.ok;
  }
  const command = await findCommand(name);
  if (command === undefined) {
    io.stderr(`konverge: there is no command "${name}"; there are: ${commandNames.join(', ')}\n`);
    return exitCode.usage;
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    io.stdout(usage(command));
    return exitCode.ok;
  }
  try {
    return await command.run(readArguments(rest, command.options), io);
  } catch (thrown) {
    return told(thrown, command, io);
  }
}

function told(thrown: unknown, command: Command, io: Io): number {
  if (thrown instanceof UsageError) {
    io.stderr(`konverge ${command.name}: ${thrown.message}\n\n${usageLine(command)}\n`);
    return exitCode.usage;
  }
  if (thrown instanceof ConfigurationError) {
    io.stderr(`konverge: ${thrown.message}\n`);
    return exitCode.configuration;
  }
  const failure = asFailure(thrown);
  if (failure !== undefined) {
    const { hint } = failure.facts;
    io.stderr(`konverge: ${failureText(failure.facts)}\n${hint === '' ? '' : `  ${hint}\n`}`);
    return exitCode.failed;
  }
  if (io.signal.aborted) {
    io.stderr('konverge: stopped\n');
    return exitCode.failed;
  }
  const ofFile = fileErrorText(thrown);
  if (ofFile !== null) {
    io.stderr(`konverge: ${ofFile}\n`);
    return exitCode.failed;
  }
  const detail = io.env('KONVERGE_DEBUG') === undefined ? '' : `${faultText(thrown)}\n`;
  io.stderr(
    `konverge: a fault of Konverge itself: ${thrown instanceof Error ? thrown.message : String(thrown)}\n` +
      `  Please report it, with what KONVERGE_DEBUG=1 prints besides.\n${detail}`,
  );
  return exitCode.failed;
}

function overview(): string {
  const width = Math.max(...commandSummaries.map(({ name }) => name.length));
  const lines = commandSummaries.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`);
  return `Konverge makes Kong Gateways and Konnect control planes match a Git repository.

Usage: konverge COMMAND [ARGUMENTS]

${lines.join('\n')}

konverge COMMAND --help says more.
`;
}

function usageLine(command: Command): string {
  return `Usage: konverge ${command.name}${command.positionals === '' ? '' : ` ${command.positionals}`} [OPTIONS]`;
}

function usage(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => ({
    left: `--${name}${option.value === undefined ? '' : ` ${option.value}`}`,
    right: `${option.help}${option.repeatable === true ? '; may be repeated' : ''}`,
  }));
  const width = Math.max(0, ...options.map(({ left }) => left.length));
  const lines = options.map(({ left, right }) => `  ${left.padEnd(width)}  ${right}`);
  return `${command.summary}.\n\n${usageLine(command)}\n${lines.length === 0 ? '' : `\n${lines.join('\n')}\n`}`;
}
