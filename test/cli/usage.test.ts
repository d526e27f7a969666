import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { riskWords } from '../../src/build/risk/codes.ts';
import { commandNames } from '../../src/cli/commands.ts';
import { version } from '../../src/cli/version.ts';
import { stateWords } from '../../src/lane/ending.ts';
import { holdPages } from '../../src/plan/hold-pages.ts';
import { findingNames, ruleNames } from '../../src/rules/registry.ts';
import { konverge, type Ran } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';

let folder: Folder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

const run = (...words: readonly string[]): Promise<Ran> => konverge(words, folder.path);

describe('help', () => {
  test('lists every command, and says more of each', async () => {
    const overview = await run('--help');
    expect(overview.code).toBe(0);
    for (const name of commandNames) {
      expect(overview.stdout).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
      const [long, short] = [await run(name, '--help'), await run('help', name)];
      expect([name, long.code, short.stdout]).toEqual([name, 0, long.stdout]);
      expect(long.stdout).toContain(`Usage: konverge ${name}`);
    }
  });

  test('gives the version', async () => {
    expect(await run('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });
});

describe('wrong usage ends with 64, says what is wrong, and prints no result', () => {
  test.each([
    [['frobnicate'], 'there is no command "frobnicate"'],
    [['validate', '--format', 'xml', '.'], '--format has to be one of'],
    [['validate', '--frob', '.'], '--frob'],
    [['validate', '--max-diagnostics', 'many', '.'], 'has to be a number'],
    [['validate', '--config', 'a.yaml', '--config', 'b.yaml', '.'], '--config can be given once only'],
    [['validate', '--revision', 'main', '.'], '--revision goes with --repo'],
    [['validate', '--header', 'A: b', '.'], '--header goes with --kong'],
    [['validate', '--kong', 'http://127.0.0.1:1', '--to', 'a', '.'], 'exclude each other'],
    [['explain', 'open-route', 'same-match'], 'one name at a time'],
    [['explain', 'a', 'b'], 'one name at a time'],
    [['emulate'], 'say what to emulate'],
    [['emulate', 'nginx'], 'say what to emulate'],
    [['emulate', 'kong', '--port', '70000'], '--port has to be a port'],
    [['emulate', 'kong', '--version', '2.8'], '--version has to be one of'],
    [['run', 'somewhere'], 'run takes no PATH'],
    [['export', 'somewhere'], 'export takes no PATH'],
    [['schema', 'extra'], 'schema takes no PATH'],
    [['status', 'extra'], 'status takes no PATH'],
    [['doctor', 'extra'], 'doctor takes no PATH'],
    [['approve', 'a', 'b', 'c'], 'name the destination'],
    [['emulate', 'kong', 'extra'], 'say what to emulate'],
  ])('%j', async (words, message) => {
    const ran = await run(...words);
    expect([ran.code, ran.stdout]).toEqual([64, '']);
    expect(ran.stderr).toContain(message);
  });

  test('no command at all', async () => {
    expect((await run()).code).toBe(64);
  });
});

describe('explain', () => {
  test('prints the page of every rule', async () => {
    for (const name of ruleNames) {
      const ran = await run('explain', name);
      expect([name, ran.code, ran.stderr]).toEqual([name, 0, '']);
      expect(ran.stdout).toContain(`# ${name}\n`);
    }
  });

  test('prints the page of every risk, every reason to hold and every state', async () => {
    const words = [riskWords, holdPages, stateWords].flatMap((all) => Object.keys(all));
    expect(words.filter((word) => findingNames.includes(word))).toEqual([]);
    expect(new Set(words).size).toBe(words.length);
    for (const name of words) {
      const ran = await run('explain', name);
      expect([name, ran.code, ran.stderr]).toEqual([name, 0, '']);
      expect(ran.stdout).toMatch(new RegExp(`^# ${name}\n\n.+\n\n## Why\n\n.+\n\n## What to do\n\n.+`, 's'));
    }
  });

  test('suggests the rule that was meant', async () => {
    const ran = await run('explain', 'unique-credentials');
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('"unique-credential"');
  });
});

test('schema prints a JSON Schema with every section', async () => {
  const ran = await run('schema');
  expect(ran.code).toBe(0);
  const sections = ['repository', 'destinations', 'policy', 'rules', 'status', 'kong', 'server'];
  expect(JSON.parse(ran.stdout)).toMatchObject({
    type: 'object',
    properties: Object.fromEntries(sections.map((section) => [section, {}])),
  });
});
