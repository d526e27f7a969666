import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { build } from '../build/build.ts';
import { ConfigurationError } from '../config/configuration-error.ts';
import type { DestinationSettings } from '../config/settings.ts';
import { openWorld } from '../daemon/edge.ts';
import { hiddenValues, planOf } from '../daemon/plan-of.ts';
import { scopeOf } from '../daemon/scope.ts';
import { type OpenWorld, openDestination } from '../destination/open.ts';
import { objectionsTo, survey } from '../lane/survey.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { Plan } from '../plan/plan.ts';
import { asFailure, type FailureFacts } from '../platform/failure.ts';
import { renderPlansJson } from '../render/plan-json.ts';
import { renderPlansMarkdown } from '../render/plan-markdown.ts';
import { renderPlansText } from '../render/plan-text.ts';
import { type Arguments, oneOf } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions, destinationOptions, sourceOptions } from './common-options.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { failureText } from './failure-text.ts';
import { exitCode, type Io } from './io.ts';
import { type AgainstResult, plansAgainst } from './plan-against.ts';
import { quarantineNote } from './quarantine-note.ts';
import { chosenDestinations, openSession, type Session } from './session.ts';
import { readSource, type SourceFiles } from './source-files.ts';

/** `konverge plan`: the difference to the live state of each destination. */
export const plan: Command = {
  name: 'plan',
  summary: 'Show what would change at each destination',
  positionals: '[PATH…]',
  options: {
    ...configurationOptions,
    ...sourceOptions,
    ...destinationOptions,
    format: { value: 'FORMAT', help: 'text (default), json or markdown' },
    out: { value: 'FILE', help: 'also write the plan as JSON, for apply --plan' },
    against: {
      value: 'REV',
      help: 'compare with another revision, such as origin/main or HEAD~1, instead of what is live',
    },
    'exit-code': { help: 'exit 2 when there are changes' },
  },
  run: async (args, io) => {
    const format = oneOf(args, 'format', ['text', 'json', 'markdown']);
    const needsFile = args.value('kong') === undefined;
    const isAgainst = args.value('against') !== undefined;
    const session = await openSession(args, io, { needsFile: needsFile && !isAgainst, level: 'warn' });
    const files = await readSource(args, io, session);
    // What a plan asks of destinations changes nothing there.
    if (!isAgainst) io.endAtOnce?.();
    const results = isAgainst
      ? await plansAgainst(args, io, session, files)
      : await plansAtDestinations(args, io, session, files);
    const plans = results.flatMap((result) => ('plan' in result ? [result.plan] : []));
    if (plans.length > 0) io.stdout(print(format, plans, io));
    const out = args.value('out');
    if (out !== undefined) await writeFile(resolve(io.cwd, out), renderPlansJson(plans));
    tellInvalid(results, session, files, io);
    for (const result of results) tell(result, session, files, io);
    if (results.some((result) => !('plan' in result) || hasErrors(result.refused))) return exitCode.failed;
    const changes = plans.some(({ changes: list }) => list.length > 0);
    return changes && args.has('exit-code') ? exitCode.changes : exitCode.ok;
  },
};

async function plansAtDestinations(
  args: Arguments,
  io: Io,
  session: Session,
  files: SourceFiles,
): Promise<readonly PlanResult[]> {
  const names = chosenDestinations(args, session.configuration, true);
  const world = await openWorld();
  return await Promise.all(
    names.map(async (name) => {
      const settings = settingsOf(name, session);
      if (settings instanceof ConfigurationError) {
        if (names.length === 1) throw settings;
        return { name, unset: settings };
      }
      return planAt(settings, io, session, files, world);
    }),
  );
}

/** The settings of a destination, or what is wrong with them: a token that is not set keeps no other one from its plan. */
function settingsOf(name: string, session: Session): DestinationSettings | ConfigurationError {
  try {
    session.assumed(name);
    return session.configuration.destination(name);
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown;
    throw thrown;
  }
}

type PlanResult =
  | AgainstResult
  | { readonly name: string; readonly failure: FailureFacts }
  | { readonly name: string; readonly unset: ConfigurationError };

async function planAt(
  destinationSettings: DestinationSettings,
  io: Io,
  session: Session,
  files: SourceFiles,
  world: OpenWorld,
): Promise<PlanResult> {
  const { name } = destinationSettings;
  const assumed = session.assumed(name);
  const scope = scopeOf(session.configuration, name);
  const settings = { ...session.settings, named: files.named, scope };
  const destination = openDestination(destinationSettings, world);
  try {
    const seen = await survey(
      destination,
      () => (schemas) => build(files.snapshot, { ...settings, schemas: schemas ?? assumed.schemas }),
      io.signal,
    );
    if (!seen.built.valid) return { name, invalid: seen.built };
    const make = planOf(destinationSettings, false, hiddenValues(io));
    const delivery = make({ ...seen, declaredEarlier: new Set() });
    const refused = await objectionsTo(destination, seen.built, delivery, io.signal);
    return { plan: delivery.plan, name, built: seen.built, refused };
  } catch (thrown) {
    const failure = asFailure(thrown);
    if (failure === undefined) throw thrown;
    return { name, failure: failure.facts };
  } finally {
    await destination.close();
  }
}

/** What is wrong with the files, once for all destinations that it is the same for. */
function tellInvalid(results: readonly PlanResult[], session: Session, files: SourceFiles, io: Io): void {
  const namesOf = new Map<string, string[]>();
  for (const result of results) {
    if (!('invalid' in result)) continue;
    const { invalid: built, name } = result;
    const text = diagnosticsText(built.diagnostics, { session, files, built, colour: io.colour.stderr });
    namesOf.set(text, [...(namesOf.get(text) ?? []), name]);
  }
  for (const [text, names] of namesOf) {
    io.stderr(`konverge: ${names.join(', ')}: the files are invalid, so there is no plan\n${text}`);
    io.stderr(quarantineNote(names, session));
  }
}

function tell(result: PlanResult, session: Session, files: SourceFiles, io: Io): void {
  if ('plan' in result) {
    const { name, built, refused } = result;
    if (refused.length === 0) return;
    if (hasErrors(refused)) io.stderr(`konverge: ${name}: this would be refused, and nothing of it delivered\n`);
    io.stderr(diagnosticsText(refused, { session, files, built, colour: io.colour.stderr }));
  } else if ('unset' in result) {
    io.stderr(`konverge: ${result.name}: ${result.unset.message}\n`);
  } else if ('failure' in result) {
    io.stderr(`konverge: ${result.name}: ${failureText(result.failure)}\n  ${result.failure.hint}\n`);
  }
}

function print(format: 'text' | 'json' | 'markdown', plans: readonly Plan[], io: Io): string {
  switch (format) {
    case 'text':
      return renderPlansText(plans, { color: io.colour.stdout });
    case 'json':
      return renderPlansJson(plans);
    case 'markdown':
      return renderPlansMarkdown(plans);
  }
}
