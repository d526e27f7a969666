import { build } from '../build/build.ts';
import type { Built } from '../build/built.ts';
import { pulledWords } from '../daemon/assumed.ts';
import { builtClaim, laneClaim, overlaps } from '../daemon/claims.ts';
import { scopeOf } from '../daemon/scope.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts';
import { countEntities } from '../model/state.ts';
import { renderDiagnosticsGitHub } from '../render/diagnostics-github.ts';
import { notYetProgrammed, type ObjectReport, renderDiagnosticsJson } from '../render/diagnostics-json.ts';
import { renderDiagnosticsJUnit } from '../render/diagnostics-junit.ts';
import { renderDiagnosticsSarif } from '../render/diagnostics-sarif.ts';
import type { Checked } from '../render/diagnostics-text.ts';
import { explain, rules } from '../rules/registry.ts';
import { type Arguments, oneOf, UsageError } from './arguments.ts';
import { checkAt } from './check-at.ts';
import type { Command } from './command.ts';
import { configurationOptions, destinationOptions, sourceOptions } from './common-options.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { exitCode, type Io } from './io.ts';
import { quarantineNote } from './quarantine-note.ts';
import { chosenDestinations, openSession, type Session } from './session.ts';
import { readSource, type SourceFiles } from './source-files.ts';
import { unclaimedFiles } from './unclaimed-files.ts';
import { version } from './version.ts';

/** `konverge validate`: build and check, offline unless a destination is named. */
export const validate: Command = {
  name: 'validate',
  summary: 'Build and check configuration files',
  positionals: '[PATH…]',
  options: {
    ...configurationOptions,
    ...sourceOptions,
    ...destinationOptions,
    format: { value: 'FORMAT', help: 'text (default), json, sarif, github or junit' },
    strict: { help: 'take warnings for errors' },
    'stand-ins': { help: 'look at no value of the environment: others stand for them' },
    'max-diagnostics': { value: 'N', help: 'show at most this many findings (default: all)' },
  },
  run: async (args, io) => {
    const format = oneOf(args, 'format', ['text', 'json', 'sarif', 'github', 'junit']);
    const max = maxOf(args);
    const online = args.values('to').length > 0 || args.value('kong') !== undefined;
    if (online && args.has('stand-ins')) throw new UsageError('--stand-ins goes with neither --to nor --kong');
    const needsFile =
      args.positionals.length === 0 && args.value('kong') === undefined && args.value('repo') === undefined;
    const session = await openSession(args, io, { needsFile, level: 'warn' });
    const files = await readSource(args, io, session);
    if (!online) io.endAtOnce?.();
    const judged = online ? await checkOnline(args, io, session, files) : offline(args, io, session, files);
    io.endAtOnce?.();
    const { built, checked } = judged;
    const unclaimed = isOfConfiguration(args, session) ? unclaimedFiles(session, files) : null;
    if (unclaimed !== null) io.stderr(`konverge: ${unclaimed}\n`);
    const diagnostics = args.has('strict') ? built.diagnostics.map(strict) : built.diagnostics;
    const valid = !hasErrors(diagnostics);
    const printed = print(
      format,
      { ...built, diagnostics, valid },
      { session, files, colour: io.colour.stdout, max, checked },
    );
    io.stdout(printed);
    const more = max === null ? 0 : diagnostics.length - max;
    if (more > 0 && format !== 'text') {
      io.stderr(`konverge: ${more} more ${more === 1 ? 'finding' : 'findings'} left out (--max-diagnostics ${max})\n`);
    }
    if (!valid && args.positionals.length === 0)
      io.stderr(quarantineNote(destinationsOf(args, session, online), session));
    return valid ? exitCode.ok : exitCode.failed;
  },
};

/** What was found, and in how much. */
interface Judged {
  readonly built: Built;
  readonly checked: Checked;
}

/** Whether all that the destinations of the configuration get is read, and nothing else. */
function isOfConfiguration(args: Arguments, { configuration }: Session): boolean {
  if (args.positionals.length > 0 || args.values('to').length > 0 || args.value('kong') !== undefined) return false;
  return configuration.destinationNames.length > 0;
}

function destinationsOf(args: Arguments, session: Session, online: boolean): readonly string[] {
  const { configuration } = session;
  return online ? chosenDestinations(args, configuration, false) : configuration.destinationNames;
}

/** Without PATHs, each destination's part of the repository is built; otherwise all that was given, as one. */
function offline(args: Arguments, io: Io, session: Session, files: SourceFiles): Judged {
  const { configuration } = session;
  const told = new Set<string>();
  const assumedBy = (name: string | null) => {
    const { pulled, settings } = session.assumed(name);
    if (pulled !== null && !told.has(pulled.path)) io.stderr(`konverge: checked by ${pulledWords(pulled.of)}\n`);
    if (pulled !== null) told.add(pulled.path);
    return settings;
  };
  const standIns = args.has('stand-ins') ? { standIns: true } : {};
  const settings = { ...session.settings, ...standIns, named: files.named };
  if (!isOfConfiguration(args, session)) {
    const whole = build(files.snapshot, { ...settings, ...assumedBy(null), scope: null });
    return { built: whole, checked: checkedOf([whole]) };
  }
  const names = configuration.destinationNames;
  const parts = names.map((name) =>
    build(files.snapshot, { ...settings, ...assumedBy(name), scope: scopeOf(configuration, name) }),
  );
  return { built: united(names, parts, session), checked: checkedOf(parts) };
}

async function checkOnline(args: Arguments, io: Io, session: Session, files: SourceFiles): Promise<Judged> {
  const names = chosenDestinations(args, session.configuration, false);
  const parts = await Promise.all(names.map((name) => checkAt(name, io, session, files)));
  return { built: united(names, parts, session), checked: checkedOf(parts) };
}

/** How much was built for so many destinations; what several of them get counts once. */
function checkedOf(parts: readonly Built[]): Checked {
  const entities = new Set<string>();
  const files = new Set<string>();
  for (const { state, files: read } of parts) {
    for (const { kind, identity, source } of [...state.entities.values()].flat()) {
      const place = source?.location;
      entities.add(JSON.stringify([kind, identity, place?.file, place?.line, place?.column]));
    }
    for (const file of read ?? []) files.add(file);
  }
  return { entities: entities.size, files: files.size, destinations: parts.length };
}

/** Several builds of the same files as one: all that was found, and a digest where they are one state. */
function united(names: readonly string[], parts: readonly Built[], session: Session): Built {
  const [first, ...others] = parts;
  if (first === undefined) throw new UsageError('there is no destination');
  if (others.length === 0) return first;
  const diagnostics = sortDiagnostics([
    ...parts.flatMap((part) => part.diagnostics),
    ...overlapping(names, parts, session),
  ]);
  const largest = parts.reduce((a, b) => (size(b) > size(a) ? b : a), first);
  const same = others.every((part) => part.digest === first.digest);
  const objects = unitedObjects(parts);
  return { ...largest, digest: same ? first.digest : null, objects, diagnostics, valid: !hasErrors(diagnostics) };
}

/** Destinations of which one would undo what another delivers. */
function overlapping(names: readonly string[], parts: readonly Built[], session: Session): readonly Diagnostic[] {
  const { configuration } = session;
  const claims = names.flatMap((name, index) => {
    const part = parts[index];
    if (part === undefined || !part.valid) return [];
    const scope = scopeOf(configuration, name);
    const claim = laneClaim(configuration.claim(name), scope, configuration.policyOf(name), configuration.file);
    return [builtClaim(name, claim, part)];
  });
  return [...new Set([...overlaps(claims).values()].flat())];
}

/** Each object once; where something is wrong with it for one destination, as it is there. */
function unitedObjects(parts: readonly Built[]): NonNullable<Built['objects']> {
  const known = new Map<string, NonNullable<Built['objects']>[number]>();
  for (const object of parts.flatMap((part) => part.objects ?? [])) {
    const key = JSON.stringify([object.kind, object.namespace, object.name]);
    if (!known.has(key) || object.conditions.some(({ status }) => status === 'False')) known.set(key, object);
  }
  return [...known.values()];
}

/** Nothing of what is only checked is programmed anywhere. */
function checkedOnly({ objects = [] }: Built): readonly ObjectReport[] {
  return objects.map((object) => notYetProgrammed(object, 'checked only, and delivered nowhere'));
}

function size(built: Built): number {
  return [...built.state.entities.values()].reduce((sum, list) => sum + list.length, 0);
}

function strict(diagnostic: Diagnostic): Diagnostic {
  return diagnostic.severity === 'warning' ? { ...diagnostic, severity: 'error' } : diagnostic;
}

function maxOf(args: Arguments): number | null {
  const written = args.value('max-diagnostics');
  if (written === undefined) return null;
  if (!/^\d+$/.test(written)) throw new UsageError('--max-diagnostics has to be a number');
  return Number(written);
}

function print(
  format: 'text' | 'json' | 'sarif' | 'github' | 'junit',
  built: Built,
  options: {
    readonly session: Session;
    readonly files: SourceFiles;
    readonly colour: boolean;
    readonly max: number | null;
    readonly checked: Checked;
  },
): string {
  const { diagnostics: all } = built;
  const diagnostics = all.slice(0, options.max ?? all.length);
  switch (format) {
    case 'text':
      return diagnosticsText(all, { ...options, built });
    case 'json':
      return renderDiagnosticsJson(
        { ...built, entities: countEntities(built.state), objects: checkedOnly(built) },
        diagnostics,
      );
    case 'sarif':
      return renderDiagnosticsSarif(diagnostics, { version, rules, explain, prefix: options.files.prefix });
    case 'github':
      return renderDiagnosticsGitHub(diagnostics, options.files.prefix);
    case 'junit':
      return renderDiagnosticsJUnit(diagnostics, options.files.prefix);
  }
}
