import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fitDescription } from '../../src/forge/description.ts';
import { verdictOf } from '../../src/review/verdict.ts';
import { commentOfCase, reviewOfCase, secretMarker } from './support.ts';

/*
 * Each folder holds the files of the branch (`base`) and of the branch after the merge (`head`), where it is needed what
 * is live (`live`) and how the review is made (`case.json`), and `comment.md`, the comment. UPDATE=1 writes it anew.
 */
const folder = join(import.meta.dirname, '..', 'cases', 'review');

describe.each(readdirSync(folder))('review case %s', (name) => {
  const path = join(folder, name);
  const { review, options } = reviewOfCase(path);
  const comment = commentOfCase(path);

  test('is told as expected', () => {
    const expected = join(path, 'comment.md');
    if (process.env['UPDATE'] === '1') writeFileSync(expected, comment);
    expect(comment).toBe(existsSync(expected) ? readFileSync(expected, 'utf8') : '');
  });

  test('is told within the limit, without a secret, and the same each time', () => {
    expect(comment.length).toBeLessThanOrEqual(options.limit);
    expect(comment).not.toContain(secretMarker);
    expect(commentOfCase(path)).toBe(comment);
  });

  test('has a verdict that says what the comment leads with', () => {
    const { state, description } = verdictOf(review, options);
    expect(comment.split('\n')[1]).toMatch({ success: /^### ✅/, failure: /^### ❌/, error: /^### ⚠️/ }[state]);
    expect(fitDescription(description, 140)).not.toContain(secretMarker);
  });
});
