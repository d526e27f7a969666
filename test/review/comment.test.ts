import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { RiskNote } from '../../src/build/risk/risk.ts';
import { reviewComment } from '../../src/review/comment.ts';
import type { Review } from '../../src/review/review.ts';
import { verdictOf } from '../../src/review/verdict.ts';
import { reviewOfCase } from './support.ts';

const folder = join(import.meta.dirname, '..', 'cases', 'review');
const many = reviewOfCase(join(folder, 'many-changes-in-little-room'));

function commentOf(review: Review, more: Partial<typeof many.options> = {}) {
  const options = { ...many.options, limit: 65_536, ...more };
  return reviewComment(review, verdictOf(review, options), options);
}

function withRisks(count: number): Review {
  const notes = Array.from(
    { length: count },
    (_, at): RiskNote => ({
      code: 'route-moved',
      severity: 'warning',
      message: `Note ${at}. ${'x'.repeat(200)}`,
      locations: [],
    }),
  );
  return { ...many.review, destinations: many.review.destinations.map((one) => ({ ...one, risks: notes })) };
}

describe('the comment', () => {
  test.each([1000, 2000, 4000, 8000, 32_768])('fits into %i characters, and says what it leaves out', (limit) => {
    for (const review of [many.review, withRisks(500)]) {
      const { body } = commentOf(review, { limit });
      expect(body.length).toBeLessThanOrEqual(limit);
      expect(body).toContain(many.options.marker);
      expect(body).toContain('### ✅ 52 to create, 4 to update');
      if (limit <= 4000) expect(body).toContain('_Left out for want of room: ');
      expect(body.split('<details>')).toHaveLength(body.split('</details>').length);
      expect((body.match(/^`{3,}/gm) ?? []).length % 2).toBe(0);
    }
  });

  test('cuts what is endless, and keeps its marker', () => {
    const long = `\u{1f600}${'x'.repeat(100_000)}`;
    const destinations = withRisks(1).destinations.map((one) => ({
      ...one,
      noPlan: long,
      notCompared: [long],
      risks: one.risks.map((note) => ({ ...note, message: long })),
    }));
    const review = { ...many.review, destinations, conflicts: [] };
    const { body } = commentOf(review, { limit: 8000, fail: ['warning'] });
    expect(body.length).toBeLessThanOrEqual(8000);
    expect(body.startsWith(`${many.options.marker}\n### ❌ route-moved: \u{1f600}xxx`)).toBe(true);
    expect(body).toContain('#### Risks');
  });

  test('gives up changes before notes', () => {
    const { body } = commentOf(withRisks(3), { limit: 2600 });
    expect(body.match(/^- 🟠/gm)).toHaveLength(3);
    expect(body).toMatch(/Left out for want of room: \d+ changes at prod/);
  });

  test('has a part that is the same as long as nothing but time goes on', () => {
    const before = commentOf(many.review);
    const after = commentOf({ ...many.review, at: many.review.at + 3_600_000 });
    expect(after.body).not.toBe(before.body);
    expect(after.lasting).toBe(before.lasting);
    expect(before.lasting).not.toContain('UTC');
  });

  test('leads nowhere where the forge has no page, or an address could end early', () => {
    const risky = reviewOfCase(join(folder, 'authentication-removed'));
    for (const address of [null, 'https://a.test/x) [y](https://evil.test']) {
      const options = { ...risky.options, link: () => address };
      const { body } = reviewComment(risky.review, verdictOf(risky.review, options), options);
      expect(body).toContain('(`gateway.yaml:16`)');
      expect(body).not.toContain('](');
    }
  });

  test('is kept as it is for at least twenty sample changes', () => {
    expect(readdirSync(folder).length).toBeGreaterThanOrEqual(20);
  });
});
