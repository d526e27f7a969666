import { nearestWord } from '../model/suggest.ts';
import { findingNames, inOneLine, explain as pageOf } from '../rules/registry.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCode } from './io.ts';

/** `konverge explain`: the page of a rule. */
export const explain: Command = {
  name: 'explain',
  summary: 'Say what a rule checks, why, and how to fix what it finds; without one, list all',
  positionals: '[RULE]',
  options: {},
  run: async (args, io) => {
    const [name, ...more] = args.positionals;
    if (more.length > 0) throw new UsageError('one rule at a time can be explained');
    if (name === undefined) {
      const longest = Math.max(...findingNames.map(({ length }) => length));
      io.stdout(findingNames.map((one) => `${one.padEnd(longest)}  ${inOneLine(one) ?? ''}\n`).join(''));
      return exitCode.ok;
    }
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
