import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { badInputs, validFiles } from '../support/bad-input.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';

// Processes and servers take their time where much else runs; every wait is for something that ends it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let git: GitServer;
let folder: Folder;
beforeAll(async () => {
  git = await startGitServer();
  folder = await temporaryFolder();
});
afterAll(async () => {
  await git.close();
  await folder.remove();
});

const report = z.object({
  valid: z.boolean(),
  digest: z.null(),
  summary: z.object({ entities: z.object({ services: z.int() }).loose() }),
  diagnostics: z.array(
    z.object({
      rule: z.string(),
      severity: z.string(),
      message: z.string().min(10),
      hint: z.string(),
      locations: z.array(z.object({ file: z.string(), line: z.int().min(1), column: z.int().min(1) })).min(1),
    }),
  ),
});

describe.each(badInputs)('$name', ({ files, rule, file }) => {
  test('is one finding with its path, exit 1, and nothing else is lost', async () => {
    const repository = await git.createRepository(`${rule}-${Math.abs(hash(file))}.git`);
    await repository.commit({ files: { ...validFiles, ...files() } });
    const ran = await konverge(['validate', '--format', 'json', '--repo', repository.url, 'gateway'], folder.path);
    expect([ran.code, ran.stderr]).toEqual([1, '']);
    const { valid, summary, diagnostics } = report.parse(JSON.parse(ran.stdout));
    expect(valid).toBe(false);
    expect(summary.entities.services).toBeGreaterThanOrEqual(1);
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors.map((error) => [error.rule, error.locations[0]?.file])).toEqual([[rule, file]]);
    expect(ran.stdout).not.toContain('root:');
  });
});

test('as text, the path and the hint are shown, and nothing of what the link points to', async () => {
  const repository = await git.createRepository('text.git');
  await repository.commit({ files: { ...validFiles, 'gateway/link.yaml': { symlink: '../../../../etc/passwd' } } });
  const ran = await konverge(['validate', '--repo', repository.url, 'gateway'], folder.path);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toMatch(/error\[file-not-regular\].*--> link\.yaml:1:1.*help: /s);
  expect(ran.stdout).not.toContain('root:');
});

test('names with a line break and folders called like files are no fault in themselves', async () => {
  const repository = await git.createRepository('odd-names.git');
  const service = (name: string) => `_format_version: "3.0"\nservices: [{ name: ${name}, host: a.example.com }]\n`;
  await repository.commit({
    files: { ...validFiles, 'gateway/odd\nname.yaml': service('odd'), 'gateway/a.yaml/b.yaml': service('inside') },
  });
  const ran = await konverge(['validate', '--format', 'json', '--repo', repository.url, 'gateway'], folder.path);
  expect(ran.code).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({ valid: true, summary: { entities: { services: 3 } } });
});

function hash(text: string): number {
  return [...text].reduce((sum, character) => (Math.imul(sum, 31) + (character.codePointAt(0) ?? 0)) | 0, 7);
}
