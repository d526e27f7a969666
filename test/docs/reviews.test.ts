import { expect, test } from 'vitest';
import { riskSeverities, riskWords } from '../../src/build/risk/codes.ts';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { blocks, read, rows } from './pages.ts';

test('docs/reviews.md has every code of a risk note, with its severities and its meaning', () => {
  const table = rows(read('docs/reviews.md'), 'code').map((cells) => cells.map((cell) => cell.replaceAll('`', '')));
  const known = Object.entries(riskWords).map(([code, meaning]) => {
    const severities = Object.entries(riskSeverities).find(([other]) => other === code)?.[1] ?? [];
    return [code, severities.join(', '), meaning];
  });
  expect(table).toEqual(known);
});

test('docs/reviews.md shows a configuration that is one, and a comment as it is written', async () => {
  const page = read('docs/reviews.md');
  const [configuration = ''] = blocks(page, 'yaml');
  const folder = await temporaryFolder({ 'konverge.yaml': configuration, 'a.yaml': '_format_version: "3.0"\n' });
  expect(await konverge(['validate', 'a.yaml'], folder.path)).toMatchObject({ code: 0 });
  await folder.remove();
  const [, ...lines] = read('test/cases/review/authentication-removed/comment.md').trim().split('\n');
  expect(page).toContain(`\`\`\`\`markdown\n${lines.join('\n')}\n\`\`\`\`\n`);
});

test('run refuses reviews without a forge to review on', async () => {
  const folder = await temporaryFolder({
    'konverge.yaml': `repository: { url: . }
destinations: [{ name: edge, kong: { url: "http://127.0.0.1:1" } }]
review: {}
`,
  });
  const ran = await konverge(['run', '--once'], folder.path);
  expect(ran).toMatchObject({ code: 78, stderr: expect.stringContaining('`status` names no forge') });
  await folder.remove();
});
