import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type BuiltClaim, Claims, overlaps } from '../../src/daemon/claims.ts';
import { type RunningEmulator, startEmulator } from '../../src/emulator/server.ts';
import type { KindName } from '../../src/model/kind.ts';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { type GitServer, startGitServer } from '../support/git-server.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

function claim(name: string, tags: readonly string[], more: Partial<BuiltClaim> = {}): BuiltClaim {
  const kinds = new Set<KindName>(['services']);
  const common = { places: ['http://kong'], prune: true, excludeKinds: [], leaves: [], file: `${name}.yaml` };
  return { ...common, name, tags, tagPlaces: [], kinds, ...more };
}

describe('one undoes what the other delivers', () => {
  test.each<[string, BuiltClaim, BuiltClaim]>([
    ['neither has tags', claim('a', []), claim('b', [])],
    ['one owns all', claim('a', []), claim('b', ['x'])],
    ['the same tags', claim('a', ['x']), claim('b', ['x'])],
    ['all of one’s tags are among the other’s', claim('a', ['x', 'y']), claim('b', ['y'])],
    ['one prunes, whatever the other does', claim('a', [], { prune: false }), claim('b', [])],
  ])('%s', (_, one, other) => {
    for (const pair of [
      [one, other],
      [other, one],
    ]) {
      const found = overlaps(pair);
      expect([...found.keys()].sort()).toEqual(['a', 'b']);
      expect(found.get('a')).toEqual(found.get('b'));
    }
  });
});

describe('neither undoes what the other delivers', () => {
  test.each<[string, BuiltClaim, BuiltClaim]>([
    ['other places', claim('a', []), claim('b', [], { places: ['http://other'] })],
    ['other tags', claim('a', ['x']), claim('b', ['y'])],
    ['tags of which neither has all', claim('a', ['x', 'z']), claim('b', ['y', 'z'])],
    ['the one that owns all deletes nothing', claim('a', [], { prune: false }), claim('b', ['x'])],
    ['the one that owns all leaves the other’s tag', claim('a', [], { leaves: ['x'] }), claim('b', ['x'])],
    [
      'each leaves out the kinds that the other declares',
      claim('a', [], { excludeKinds: ['consumers'] }),
      claim('b', [], { excludeKinds: ['services'], kinds: new Set(['consumers']) }),
    ],
    ['the other declares nothing', claim('a', []), claim('b', ['x'], { kinds: new Set() })],
  ])('%s', (_, one, other) => {
    expect(overlaps([one, other])).toEqual(new Map());
    expect(overlaps([other, one])).toEqual(new Map());
  });
});

test('of two followers, the one whose claim is in force keeps it, until it gives it up', () => {
  const claims = new Claims();
  const [first, second] = [{}, {}];
  expect(claims.judge(first, [claim('a', [])]).size).toBe(0);
  const refused = claims.judge(second, [claim('b', ['x']), claim('c', [], { places: ['http://other'] })]);
  expect([...refused.keys()]).toEqual(['b']);
  expect(refused.get('b')?.[0]?.message).toContain('"b" (tags "x") and "a" of "a.yaml" (without tags)');
  expect(claims.judge(first, [claim('a', [])]).size).toBe(0);
  expect(claims.judge(first, [claim('a', ['y'])]).size).toBe(0);
  expect(claims.judge(second, [claim('b', ['x'])]).size).toBe(0);
  expect([...claims.judge(first, [claim('a', ['x'])]).keys()]).toEqual(['a']);
});

describe('as it is run', () => {
  let git: GitServer;
  let kong: RunningEmulator;
  let folder: Folder;
  beforeAll(async () => {
    git = await startGitServer();
    kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
  });
  afterAll(() => Promise.all([git.close(), kong.close()]));
  beforeEach(() => kong.reset());
  afterEach(() => folder.remove());

  const file = (name: string, tag: string | null) =>
    `_format_version: "3.0"\n${tag === null ? '' : `_info:\n  select_tags: [${tag}]\n`}services: [{ name: ${name}, url: "http://a.internal" }]\n`;
  const destination = (name: string, include: string) =>
    `{ name: ${name}, include: ["${include}"], kong: { url: "${kong.url}" } }`;

  test('two destinations of one repository that own the same get nothing, until their files tell them apart', async () => {
    const repository = await git.createRepository('one.git');
    folder = await temporaryFolder({
      'konverge.yaml': `repository: { url: "${repository.url}", branch: main }
destinations:
  - ${destination('a', 'a/**')}
  - ${destination('b', 'b/**')}
`,
      'a/x.yaml': file('a', null),
      'b/x.yaml': file('b', 'team-b'),
    });
    await repository.commit({ files: { 'a/x.yaml': file('a', null), 'b/x.yaml': file('b', 'team-b') } });
    const refused = await konverge(['run', '--once'], folder.path);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /b\/x\.yaml:3 The destinations \\"a\\" \(without tags\) and \\"b\\" \(tags \\"team-b\\"\)/,
    );
    expect(kong.counters().writes).toBe(0);
    const said = await konverge(['validate'], folder.path);
    expect(said.stdout).toMatch(/error\[overlapping-scope\]: The destinations "a" .* and "b"/);
    expect(said.stdout).toContain('b/x.yaml:3:');
    expect(said.code).toBe(1);

    await repository.commit({ files: { 'a/x.yaml': file('a', 'team-a') } });
    await folder.write({ 'a/x.yaml': file('a', 'team-a') });
    expect((await konverge(['validate'], folder.path)).code).toBe(0);
    const apart = await konverge(['run', '--once'], folder.path);
    expect([apart.code, apart.stdout]).toEqual([0, expect.stringMatching(/^a: \w+ applied.*\nb: \w+ applied/)]);
  });

  test('of two repositories, one is refused, with the other’s configuration named', async () => {
    const files: Record<string, string> = {};
    for (const [name, tag] of [
      ['a', null],
      ['b', 'team-b'],
    ] as const) {
      const repository = await git.createRepository(`two-${name}.git`);
      await repository.commit({ files: { 'x.yaml': file(name, tag) } });
      files[`${name}.yaml`] =
        `repository: { url: "${repository.url}", branch: main }\ndestinations: [${destination(name, '**')}]\n`;
    }
    folder = await temporaryFolder(files);
    const ran = await konverge(['run', '--once', '--config', 'a.yaml', '--config', 'b.yaml'], folder.path);
    expect(ran.code).toBe(1);
    expect(ran.stdout.match(/applied/g)).toHaveLength(1);
    expect(ran.stderr).toMatch(/of \\"[ab]\.yaml\\"/);
  });
});
