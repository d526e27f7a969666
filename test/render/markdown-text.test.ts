import { describe, expect, test } from 'vitest';
import { codeSpan, escapedMarkdown, fencedBlock } from '../../src/render/markdown-text.ts';

describe('text of others', () => {
  test.each([
    ['a mention', '@team see @a/b', '@\u200bteam see @\u200ba/b'],
    ['a link', '[x](https://evil.test)', '\\[x\\]\\(https:\u200b//evil.test\\)'],
    ['an address', 'www.evil.test', 'www\u200b.evil.test'],
    ['an image', '![x](y)', '\\!\\[x\\]\\(y\\)'],
    ['HTML', '<img src=x>&lt;', '&lt;img src=x&gt;&amp;\u200blt;'],
    ['a table', 'a | b\nc', 'a \\| b c'],
    ['references', '#1 !2 GH-3 a/b#4 %5', '\\#\u200b1 \\!\u200b2 GH\u200b-3 a/b\\#\u200b4 %\u200b5'],
    ['a list', '1. one', '1\\. one'],
    ['another list', '- one', '\\- one'],
    ['trick of direction', 'a\u202eb', 'a\ufffdb'],
    ['plain words', 'route "orders": 30% more', 'route "orders": 30% more'],
  ])('is no %s', (_, text, escaped) => {
    expect(escapedMarkdown(text)).toBe(escaped);
  });

  test('stays in its code span and its block, whatever it holds', () => {
    expect(codeSpan('a`b``c')).toBe('```a`b``c```');
    expect(codeSpan('`')).toBe('`` ` ``');
    expect(codeSpan('a|b\nc')).toBe('`a|b c`');
    expect(fencedBlock(['```', 'x'], 'diff')).toBe('````diff\n```\nx\n````');
  });
});
