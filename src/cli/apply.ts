import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { build } from '../build/build.ts';
import type { Built } from '../build/built.ts';
import { openWorld, realTime } from '../daemon/edge.ts';
import { hiddenValues, planOf } from '../daemon/plan-of.ts';
import { scopeOf } from '../daemon/scope.ts';
import { type OpenWorld, openDestination } from '../destination/open.ts';
import { deliverOnce } from '../lane/deliver-once.ts';
import type { LaneStatus } from '../lane/lane-status.ts';
import { alone } from '../lane/lease.ts';
import type { MakePlan } from '../lane/survey.ts';
import { renderPlansText } from '../render/plan-text.ts';
import { type Arguments, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions, destinationOptions, sourceOptions } from './common-options.ts';
import { diagnosticsText } from './diagnostics-text.ts';
import { exitCode, type Io } from './io.ts';
import { quarantineNote } from './quarantine-note.ts';
import { chosenDestinations, openSession, type Session } from './session.ts';
import { readSource, type SourceFiles } from './source-files.ts';

/** `konverge apply`: plan and deliver once. */
export const apply: Command = {
  name: 'apply',
  summary: 'Plan and deliver once',
  positionals: '[PATH…]',
  options: {
    ...configurationOptions,
    ...sourceOptions,
    ...destinationOptions,
    all: { help: 'to every destination of the configuration' },
    approve: { value: 'FINGERPRINT', help: 'let the held plan with this fingerprint through' },
    plan: { value: 'FILE', help: 'deliver only if the plan is still the one in this file' },
  },
  run: async (args, io) => {
    const session = await openSession(args, io, { needsFile: args.value('kong') === undefined, level: 'error' });
    const expected = await expectedFingerprints(args, io);
    const names = destinationsOf(args, session, expected);
    const files = await readSource(args, io, session);
    const world = await openWorld();
    const results = await Promise.all(
      names.map((name) => applyAt(name, { args, io, session, files, world, expected: expected?.get(name) ?? null })),
    );
    for (const result of results) tell(result, session, files, io);
    return results.every(({ status }) => status.state === 'applied') ? exitCode.ok : exitCode.failed;
  },
};

/** Where to deliver: what was named, else what the plan file is about. A plan says nothing of another destination. */
function destinationsOf(
  args: Arguments,
  session: Session,
  plans: ReadonlyMap<string, string> | null,
): readonly string[] {
  const isSaid = args.has('all') || args.values('to').length > 0;
  const { destinationNames } = session.configuration;
  if (plans !== null && !isSaid) {
    const unknown = [...plans.keys()].find((name) => !destinationNames.includes(name));
    if (unknown !== undefined)
      throw new UsageError(`--plan is for "${unknown}", which the configuration does not have`);
    return [...plans.keys()];
  }
  const names = chosenDestinations(args, session.configuration, args.has('all'));
  const unplanned = names.find((name) => plans !== null && !plans.has(name));
  if (unplanned !== undefined) throw new UsageError(`--plan holds no plan for "${unplanned}"`);
  return names;
}

interface ApplyWorld {
  readonly args: Arguments;
  readonly io: Io;
  readonly session: Session;
  readonly files: SourceFiles;
  readonly world: OpenWorld;
  /** The fingerprint that the plan must have, or null. */
  readonly expected: string | null;
}

async function applyAt(name: string, given: ApplyWorld): Promise<Applied> {
  const { args, io, session, files, world, expected } = given;
  const settings = session.configuration.destination(name);
  const scope = scopeOf(session.configuration, name);
  const assumed = session.assumed(name);
  const destination = openDestination(settings, world);
  const make = planOf(settings, false, hiddenValues(io));
  let built: Built | null = null;
  try {
    const status = await deliverOnce(
      {
        destination,
        plan: expected === null ? make : unlessChanged(make, expected),
        policy: settings.policy,
        ...realTime,
        log: session.log,
        lease: alone,
      },
      {
        generation: 1,
        revision: files.snapshot.revision ?? workingTree,
        build: (schemas) => {
          built = build(files.snapshot, {
            ...session.settings,
            named: files.named,
            scope,
            schemas: schemas ?? assumed.schemas,
          });
          return built;
        },
        declaredEarlier: async () => new Set(),
      },
      args.value('approve') ?? null,
      io.signal,
    );
    return { status, built };
  } finally {
    await destination.close();
  }
}

/** How a delivery ended, and what the files built to where that was asked. */
interface Applied {
  readonly status: LaneStatus;
  readonly built: Built | null;
}

/** What stands for a revision where files of a working tree are delivered. */
const workingTree = 'working tree';

/** Plans as before, and holds what is no longer the plan that was looked at. An empty plan needs no approval. */
function unlessChanged(make: MakePlan, expected: string): MakePlan {
  let first = true;
  return (request) => {
    const delivery = make(request);
    const { plan } = delivery;
    const checked = first;
    first = false;
    if (!checked || plan.fingerprint === expected || plan.changes.length === 0) return delivery;
    const held = {
      code: 'plan-changed',
      message: 'the plan is not the one in the file any more',
      hint: 'Look at the new plan, and write it with `konverge plan --out`.',
    } as const;
    return { ...delivery, plan: { ...plan, held } };
  };
}

const planFile = z.union([
  z.object({ destination: z.string(), fingerprint: z.string() }).transform((plan) => [plan]),
  z
    .object({ plans: z.array(z.object({ destination: z.string(), fingerprint: z.string() })) })
    .transform(({ plans }) => plans),
]);

async function expectedFingerprints(args: Arguments, io: Io): Promise<ReadonlyMap<string, string> | null> {
  const path = args.value('plan');
  if (path === undefined) return null;
  let value: unknown;
  try {
    value = JSON.parse(await readFile(resolve(io.cwd, path), 'utf8'));
  } catch (thrown) {
    throw new UsageError(`--plan ${path} cannot be read: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
  const parsed = planFile.safeParse(value);
  if (!parsed.success) throw new UsageError(`--plan ${path} is no plan that \`konverge plan --out\` wrote`);
  return new Map(parsed.data.map(({ destination, fingerprint }) => [destination, fingerprint]));
}

function tell({ status, built }: Applied, session: Session, files: SourceFiles, io: Io): void {
  const { destination, state, detail, plan, diagnostics, failure } = status;
  if (state === 'applied') {
    io.stdout(`${destination}: applied: ${detail}\n`);
    return;
  }
  if (plan !== null) io.stdout(renderPlansText([plan], { color: io.colour.stdout }));
  // One try is all there is here, whatever a lane that goes on would do next.
  const word = state === 'retrying' ? 'failed' : state;
  io.stderr(`konverge: ${destination}: ${word}: ${detail}\n`);
  if (failure !== null && failure.hint !== '') io.stderr(`  ${failure.hint}\n`);
  if (plan?.held != null) {
    io.stderr(`  ${plan.held.hint}\n  To let it through, say so in the same command: --approve ${plan.fingerprint}\n`);
  }
  const shown = diagnostics.filter(({ severity }) => severity !== 'info');
  if (shown.length > 0 && built !== null) {
    io.stderr(diagnosticsText(shown, { session, files, built, colour: io.colour.stderr }));
  }
  if (built?.valid === false) io.stderr(quarantineNote([destination], session));
}
