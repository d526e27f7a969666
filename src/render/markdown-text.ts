import { printable } from './source-line.ts';

/** Breaks a word without being seen, so that a forge finds no mention, link or reference in it. */
const joint = '\u200b';

/**
 * Text of others in Markdown, on one line: neither markup, nor HTML, nor a mention, nor a link to a page, an issue or a
 * merge request of whatever forge, nor a cell's end, nor the start of a list.
 */
export function escapedMarkdown(text: string): string {
  return printable(text.replace(/[\r\n]+/g, ' '))
    .trim()
    .replaceAll('://', `:${joint}//`)
    .replace(/\bwww\./gi, (word) => `${word.slice(0, -1)}${joint}.`)
    .replace(/\bGH-(?=\d)/gi, (word) => `${word.slice(0, -1)}${joint}-`)
    .replace(/[#!$%~&](?=[\w"])/g, (mark) => `${mark}${joint}`)
    .replaceAll('@', `@${joint}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/[\\`*_{}[\]()#+!|~]/g, (mark) => `\\${mark}`)
    .replace(/^(\d+)([.)])/, '$1\\$2')
    .replace(/^[-=]/, (mark) => `\\${mark}`);
}

/** Text of others as it is, in a code span, in which nothing is markup; not for a table, where a bar would end the cell. */
export function codeSpan(text: string): string {
  const shown = printable(text.replace(/[\r\n]+/g, ' '));
  const fence = '`'.repeat(longestRun(shown, '`') + 1);
  const pad = shown.startsWith('`') || shown.endsWith('`') || shown.trim() === '' ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** Lines in a fenced block, in which nothing is markup. */
export function fencedBlock(lines: readonly string[], language: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(lines.join('\n'), '`') + 1));
  return [`${fence}${language}`, ...lines, fence].join('\n');
}

function longestRun(text: string, mark: string): number {
  let longest = 0;
  let run = 0;
  for (const character of text) {
    run = character === mark ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
