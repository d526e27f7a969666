import { z } from 'zod';
import { approvalShape } from '../daemon/history.ts';
import { approvalText } from '../lane/approval-text.ts';
import { oneOf, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { daemonApi, daemonOptions } from './daemon-api.ts';
import { instant } from './instant.ts';
import { exitCode } from './io.ts';
import { openSession } from './session.ts';

const destination = z.object({
  name: z.string(),
  state: z.string(),
  since: z.string(),
  revisionApplied: z.string().nullable(),
  detail: z.string(),
  waitingFor: z.string().nullable(),
  concerns: z.string().nullable(),
  unaffected: z.string().nullable(),
  nextTryAt: z.string().nullable(),
  lastError: z.object({ hint: z.string() }).nullable(),
  plan: z.object({ fingerprint: z.string(), held: z.object({ hint: z.string() }).nullable() }).nullable(),
  approval: approvalShape.nullable().default(null),
});

const repository = z.object({
  url: z.string(),
  branch: z.string(),
  revision: z.string().nullable(),
  failure: z.object({ message: z.string() }).nullable(),
  failingSince: z.string().nullable(),
  validation: z
    .object({
      revision: z.string(),
      valid: z.boolean(),
      errors: z.number(),
      invalidFor: z.array(z.string()),
      diagnostics: z.array(
        z.object({
          severity: z.string(),
          message: z.string(),
          locations: z.array(z.object({ file: z.string(), line: z.number() })),
        }),
      ),
    })
    .nullable(),
  destinations: z.array(destination),
});

const answer = z.object({ repositories: z.array(repository) });

/** How many errors of an invalid revision are listed. */
const shownErrors = 5;

type Repository = z.infer<typeof repository>;

/** `konverge status`: what a running daemon says of its repositories and destinations. */
export const status: Command = {
  name: 'status',
  summary: 'Say what a running daemon knows: exit 1 unless every destination has the newest revision',
  positionals: '',
  options: {
    ...configurationOptions,
    ...daemonOptions,
    format: { value: 'FORMAT', help: 'text (default) or json' },
  },
  run: async (args, io) => {
    if (args.positionals.length > 0) throw new UsageError('status takes no PATH');
    const format = oneOf(args, 'format', ['text', 'json']);
    const api = daemonApi(
      args,
      io,
      await openSession(args, io, { needsFile: args.value('url') === undefined, level: 'error' }),
    );
    try {
      const said = await api.get('/api/v1/status', answer);
      const { repositories } = said.value;
      io.stdout(format === 'json' ? said.text : repositories.map(repositoryText).join('\n'));
      return repositories.every(isInPlace) ? exitCode.ok : exitCode.failed;
    } finally {
      await api.close();
    }
  },
};

function isInPlace({ revision, destinations }: Repository): boolean {
  return revision !== null && destinations.every(({ revisionApplied }) => revisionApplied === revision);
}

function repositoryText(one: Repository): string {
  const { url, branch, revision, failure, failingSince, validation, destinations } = one;
  const count = validation === null ? '' : `${validation.errors} ${validation.errors === 1 ? 'error' : 'errors'}`;
  const verdict = validation === null ? '' : validation.valid ? ', valid' : `, invalid: ${count}`;
  const lines = [`${url} ${branch}: ${short(revision)}${verdict}`];
  if (failure !== null) lines.push(`  cannot be followed since ${failingSince ?? 'now'}: ${failure.message}`);
  const errors = (validation?.diagnostics ?? []).filter(({ severity }) => severity === 'error');
  for (const { message, locations } of errors.slice(0, shownErrors)) {
    // What is about the folder as a whole has no line.
    const place =
      locations[0] === undefined || locations[0].file === '.' ? '' : `${locations[0].file}:${locations[0].line} `;
    lines.push(`  ${place}${message}`);
  }
  const width = Math.max(0, ...destinations.map(({ name }) => name.length));
  for (const one of destinations) {
    const isRefused = validation?.invalidFor.includes(one.name) === true && one.revisionApplied !== null;
    const keeps = isRefused ? `; keeps it, for ${short(validation.revision)} is invalid here` : '';
    lines.push(`  ${one.name.padEnd(width)}  ${one.state}  ${short(one.revisionApplied)}  ${one.detail}${keeps}`);
    for (const more of moreOf(one)) lines.push(`  ${' '.repeat(width)}  ${more}`);
  }
  return `${lines.join('\n')}\n`;
}

function moreOf(one: z.infer<typeof destination>): readonly string[] {
  const { name, state, waitingFor, nextTryAt, concerns, unaffected, lastError, plan, approval } = one;
  const lines: string[] = [];
  if (concerns !== null) lines.push(`concerns ${concerns}`);
  if (unaffected !== null) lines.push(`unaffected: ${unaffected}`);
  if (waitingFor !== null)
    lines.push(`waits for ${waitingFor}${nextTryAt === null ? '' : `; next at ${instant(nextTryAt)}`}`);
  const { hint } = (state === 'held' ? plan?.held : null) ?? lastError ?? { hint: '' };
  if (hint !== '') lines.push(`help: ${hint}`);
  // It is for one plan: another one needs its own.
  if (approval !== null && approval.fingerprint === plan?.fingerprint) lines.push(approvalText(approval));
  else if (state === 'held' && plan !== null) {
    lines.push(`let through by: konverge approve ${name} ${plan.fingerprint}`);
  }
  return lines;
}

function short(revision: string | null): string {
  return revision === null ? 'none' : revision.slice(0, 10);
}
