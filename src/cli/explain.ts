import { riskPages } from '../build/risk/pages.ts';
import { signaturePages } from '../git/signatures/pages.ts';
import { statePages } from '../lane/state-pages.ts';
import { firstSentence, type Pages, pageText } from '../model/page.ts';
import { nearestWord } from '../model/suggest.ts';
import { holdPages } from '../plan/hold-pages.ts';
import { findingNames, inOneLine, explain as pageOf, ruleGroups } from '../rules/registry.ts';
import { UsageError } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCode } from './io.ts';

/** What else is shown to people by a word of its own, under what heading, and what a page says last. */
const others: readonly { readonly heading: string; readonly pages: Pages; readonly todo: string }[] = [
  { heading: 'Notes of reviews about risks', pages: riskPages, todo: 'What to do' },
  { heading: 'Why a plan is held', pages: holdPages, todo: 'What to do' },
  { heading: 'States of a destination', pages: statePages, todo: 'What to do' },
  { heading: 'Why a commit is not accepted', pages: signaturePages, todo: 'What to do' },
];

const names = [...findingNames, ...others.flatMap(({ pages }) => Object.keys(pages))];

/** `konverge explain`: the page of a rule or of another word that people are shown. */
export const explain: Command = {
  name: 'explain',
  summary:
    'Say what a rule, a risk, a hold, a state or a code of a signature is about, why, and what to do; without a NAME, list all',
  positionals: '[NAME]',
  options: {},
  run: async (args, io) => {
    const [name, ...more] = args.positionals;
    if (more.length > 0) throw new UsageError('one name at a time can be explained');
    if (name === undefined) {
      io.stdout(list());
      return exitCode.ok;
    }
    const page = pageOf(name) ?? otherPage(name);
    if (page === undefined) {
      const near = nearestWord(name, [...names, ...ruleGroups]);
      const meant = near === undefined ? '' : `; is it "${near}"?`;
      io.stderr(`konverge: there is no rule, risk, hold, state or code of a signature "${name}"${meant}\n`);
      return exitCode.failed;
    }
    io.stdout(page.endsWith('\n') ? page : `${page}\n`);
    return exitCode.ok;
  },
};

function otherPage(name: string): string | undefined {
  for (const { pages, todo } of others) {
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (page !== undefined) return pageText(name, page, todo);
  }
  return undefined;
}

function list(): string {
  const longest = Math.max(...names.map(({ length }) => length));
  const lines = (of: readonly (readonly [string, string])[]) =>
    of.map(([name, words]) => `${name.padEnd(longest)}  ${words}\n`).join('');
  const groups = others.map(({ heading, pages }) => {
    const about = Object.entries(pages).map(([name, page]) => [name, firstSentence(page)] as const);
    return `${heading}:\n${lines(about)}`;
  });
  const findings = lines(findingNames.map((name) => [name, inOneLine(name) ?? '']));
  return [`Findings of checks:\n${findings}`, ...groups].join('\n');
}
