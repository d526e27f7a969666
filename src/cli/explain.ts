import { nearestWord } from '../model/suggest.ts';
import { findingNames, explain as pageOf } from '../rules/registry.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCode } from './io.ts';

/** `konverge explain`: the page of a rule. */
export const explain: Command = {
  name: 'explain',
  summary: 'Say what a rule checks, why, and how to fix what it finds',
  positionals: 'RULE',
  options: {},
  run: async (args, io) => {
    const [name, ...more] = args.positionals;
    if (more.length > 0) throw new UsageError('one rule at a time can be explained');
    if (name === undefined) throw new UsageError(`name a rule: ${findingNames.join(', ')}`);
    const page = pageOf(name);
    if (page === undefined) {
      const near = nearestWord(name, findingNames);
      io.stderr(`konverge: there is no rule "${name}"${near === undefined ? '' : `; is it "${near}"?`}\n`);
      return exitCode.failed;
    }
    io.stdout(page.endsWith('\n') ? page : `${page}\n`);
    return exitCode.ok;
  },
};
