import { expect, test } from 'vitest';
import { riskSeverities, riskWords } from '../../src/build/risk/codes.ts';
import { read, rows } from './pages.ts';

test('docs/reviews.md has every code of a risk note, with its severities and its meaning', () => {
  const table = rows(read('docs/reviews.md'), 'code').map((cells) => cells.map((cell) => cell.replaceAll('`', '')));
  const known = Object.entries(riskWords).map(([code, meaning]) => {
    const severities = Object.entries(riskSeverities).find(([other]) => other === code)?.[1] ?? [];
    return [code, severities.join(', '), meaning];
  });
  expect(table).toEqual(known);
});
