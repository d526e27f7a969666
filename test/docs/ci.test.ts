import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { expect, test } from 'vitest';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { runGit } from '../support/served-repository.ts';
import { root, words } from './pages.ts';

const configuration = `repository: { url: ., path: kong }
destinations:
  - name: prod
    kong: { url: "http://127.0.0.1:9", headers: { Kong-Admin-Token: "\${NOT_SET_IN_CI}" } }
`;
const service = (host: string) =>
  `_format_version: "3.0"\nservices: [{ name: orders, host: ${host}, tags: ['\${{ env "DECK_TAG" }}'] }]\n`;

/** Every text of a pipeline's file. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test.each(['github-actions.yaml', 'gitlab-ci.yaml'])('%s runs commands that work without secrets', async (name) => {
  const commands = textsIn(load(readFileSync(join(root, 'config/ci', name), 'utf8')))
    .flatMap((text) => text.split('\n'))
    .flatMap((line) => /^\s*konverge ([^>]*)/.exec(line)?.[1] ?? []);
  expect(commands).toHaveLength(2);
  const folder = await temporaryFolder({ 'konverge.yaml': configuration, 'kong/a.yaml': service('one.example.com') });
  const git = (...args: readonly string[]) => runGit(args, folder.path);
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'first');
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  await folder.write({ 'kong/a.yaml': service('two.example.com') });
  const printed: string[] = [];
  for (const command of commands) {
    const line = command.replace(/"[^"]*\$[^"]*"/g, 'origin/main').trim();
    const ran = await konverge(words(line), folder.path);
    expect([line, ran.code, ran.stderr]).toEqual([line, 0, '']);
    printed.push(ran.stdout);
  }
  expect(printed.join('\n')).toContain('| prod | 0 | 1 | 0 |');
  await folder.remove();
});
