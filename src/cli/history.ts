import { z } from 'zod';
import { type HistoryEntry, historyEntry, keptChangeWords } from '../daemon/history.ts';
import { oneOf, UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { configurationOptions } from './common-options.ts';
import { daemonApi, daemonOptions } from './daemon-api.ts';
import { instant } from './instant.ts';
import { exitCode } from './io.ts';
import { openSession } from './session.ts';

const answer = z.object({ entries: z.array(historyEntry) });

/** `konverge history`: what happened at destinations, as a running daemon kept it. */
export const history: Command = {
  name: 'history',
  summary: 'Say what happened at each destination, as a running daemon kept it',
  positionals: '[NAME…]',
  options: {
    ...configurationOptions,
    ...daemonOptions,
    limit: { value: 'N', help: 'so many entries of each destination, the newest (default: 20)' },
    format: { value: 'FORMAT', help: 'text (default) or json' },
  },
  run: async (args, io) => {
    const format = oneOf(args, 'format', ['text', 'json']);
    const limit = Number(args.value('limit') ?? 20);
    if (!Number.isInteger(limit) || limit < 1) throw new UsageError('--limit has to be a whole number, at least 1');
    const session = await openSession(args, io, { needsFile: true, level: 'error' });
    const names = args.positionals.length > 0 ? args.positionals : session.configuration.destinationNames;
    const api = daemonApi(args, io, session);
    try {
      const found: HistoryEntry[] = [];
      for (const name of names) {
        const path = `/api/v1/history?destination=${encodeURIComponent(name)}&limit=${limit}`;
        for (const one of (await api.get(path, answer)).value.entries) found.push(one);
      }
      // Each destination tells its own in order; what is said at one time stays in the order of the destinations.
      found.sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
      const width = Math.max(0, ...found.map(({ destination }) => destination.length));
      if (format === 'json') io.stdout(`${JSON.stringify({ entries: found }, null, 2)}\n`);
      else io.stdout(found.map((entry) => entryText(entry, width)).join(''));
    } finally {
      await api.close();
    }
    return exitCode.ok;
  },
};

/** So many changes of an entry's plan are shown as text. */
const mostShown = 5;

function entryText(entry: HistoryEntry, width: number): string {
  const { at, destination, event, revision, detail, failure, plan } = entry;
  const lines = [
    `${instant(at)}  ${destination.padEnd(width)}  ${event}  ${revision?.slice(0, 10) ?? 'none'}  ${detail}`,
  ];
  if (failure !== null) lines.push(`    ${failure.code}: ${failure.message}`);
  for (const change of plan?.changes.slice(0, mostShown) ?? []) {
    const { fields } = change;
    lines.push(`    ${keptChangeWords(change)}${fields.length === 0 ? '' : `: ${fields.join(', ')}`}`);
  }
  const more = plan === null ? 0 : Math.max(0, plan.changes.length - mostShown) + plan.more;
  if (more > 0) lines.push(`    and ${more} more`);
  return `${lines.join('\n')}\n`;
}
