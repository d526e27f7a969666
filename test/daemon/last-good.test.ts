import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { Scope } from '../../src/build/built.ts';
import { declaredInPast, LastGoods } from '../../src/daemon/last-good.ts';
import { gitFailure } from '../../src/git/git-failure.ts';
import type { Repository } from '../../src/git/repository.ts';
import { declaredName } from '../../src/lane/offer.ts';
import { allEntities } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';

let schemas: Schemas;
beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
});

const scope: Scope = {
  include: [],
  excludeFiles: [],
  excludeKinds: [],
  excludeTags: [],
  tags: [],
  workspace: null,
  controlPlane: null,
};

/** A commit that cannot be read as configuration. */
interface GitFault {
  readonly fault: string;
}

/** A branch whose commits are `r0`, `r1`, …, each one file, and how often one was read. */
function branch(
  commits: readonly (string | GitFault)[],
): Pick<Repository, 'ancestors' | 'fetch' | 'read'> & { reads: number } {
  const repository = {
    reads: 0,
    ancestors: async (revision: string, limit: number) => {
      const at = Number(revision.slice(1));
      return Array.from({ length: Math.min(at, limit) }, (_, back) => `r${at - back - 1}`);
    },
    fetch: async () => undefined,
    read: async (revision: string) => {
      repository.reads += 1;
      const commit = commits[Number(revision.slice(1))] ?? '';
      if (typeof commit === 'object') {
        throw gitFailure({ class: 'rejected', code: commit.fault, message: 'It cannot be read.', hint: '' });
      }
      const text = `_format_version: "3.0"\n${commit}`;
      return {
        revision,
        entries: new Map([['a.yaml', { type: 'file' as const, bytes: Buffer.from(text), blob: null }]]),
      };
    },
  };
  return repository;
}

function goods(commits: readonly (string | GitFault)[], onInvalid: 'reject' | 'quarantine') {
  const repository = branch(commits);
  const unused = () => Promise.reject(new Error('not asked'));
  const world = {
    repository: Object.assign(repository, { resolve: unused, describe: unused, text: unused, close: unused }),
    builds: {
      build,
      assumed: schemas,
      now: () => 0,
      settings: { rules: {}, environment: () => undefined },
    },
    scope,
    history: 500,
    onInvalid,
  };
  const found = new LastGoods(world);
  const good = async (revision: string, passedOver: readonly string[] = []) => {
    const one = await found.before(revision, null, new Set(passedOver), new AbortController().signal);
    if (one === null) return null;
    const hosts = allEntities(one.build(null).state).map(({ name, fields }) => `${name}=${String(fields['host'])}`);
    return `${one.revision}: ${hosts.join(' ')}`;
  };
  const declared = async (revision: string, ...names: readonly string[]) => {
    const wanted = new Set(names.map((name) => declaredName('services', name)));
    return [
      ...(await declaredInPast(
        world.repository,
        world.builds,
        { ...world, revision },
        wanted,
        new AbortController().signal,
      )),
    ];
  };
  return { good, declared, repository, world };
}

const services = (...hosts: readonly string[]) =>
  `services:\n${hosts.map((host, at) => `- { name: s${at}, host: ${host}${host === 'bad' ? ', port: 70000' : ''} }\n`).join('')}`;

describe('the last good revision', () => {
  test('is the newest that is valid', async () => {
    const { good } = goods([services('a'), services('b'), services('bad'), services('bad')], 'reject');
    expect(await good('r3')).toBe('r1: s0=b');
    expect(await good('r3', ['r1'])).toBe('r0: s0=a');
    expect(await good('r0')).toBeNull();
  });

  test('with quarantine is the one before, with what was good in it and in those before it', async () => {
    const commits = [
      services('a', 'a', 'a'),
      services('bad', 'b', 'b'),
      services('bad', 'bad', 'c'),
      services('bad', 'bad', 'bad', 'new'),
    ];
    const { good } = goods(commits, 'quarantine');
    expect(await good('r2')).toBe('r1: s0=a s1=b s2=b');
    expect(await good('r3')).toBe('r2: s0=a s1=b s2=c');
    expect(await good('r4')).toBe('r3: s0=a s1=b s2=c s3=new');
  });

  test('is the same for who starts anew, and is not gone through again for who goes on', async () => {
    const commits = [services('a', 'a'), ...Array.from({ length: 9 }, (_, at) => services('bad', `h${at}`))];
    const going = goods(commits, 'quarantine');
    for (let at = 1; at <= 9; at += 1) await going.good(`r${at}`);
    expect(going.repository.reads).toBeLessThan(30);
    const anew = goods(commits, 'quarantine');
    expect(await anew.good('r9')).toBe(await going.good('r9'));
    expect(await anew.good('r9')).toBe('r8: s0=a s1=h7');
  });

  test('with quarantine passes over what the destination refused', async () => {
    const { good } = goods([services('a'), services('b'), services('c')], 'quarantine');
    expect(await good('r3', ['r2'])).toBe('r1: s0=b');
  });
});

describe.each(['path-missing', 'tree-invalid', 'snapshot-too-large'])('an ancestor that is %s', (fault) => {
  test('declares nothing, and what older ones declared is found', async () => {
    const { declared } = goods([services('a'), { fault }, services('a', 'b')], 'reject');
    expect(await declared('r2', 's0', 's1')).toEqual(['services/s0']);
    expect(await goods([{ fault }, services('a')], 'reject').declared('r1', 'other')).toEqual([]);
  });

  test.each(['reject', 'quarantine'] as const)('is not good, and the one before it is found, with %s', async (on) => {
    const { good } = goods([services('a'), { fault }, services('bad'), { fault }], on);
    expect(await good('r4')).toBe(on === 'reject' ? 'r0: s0=a' : 'r2: s0=a');
    expect(await good('r2')).toBe('r0: s0=a');
    expect(await goods([{ fault }, services('a')], on).good('r1')).toBeNull();
  });
});

test('an ancestor that cannot be asked for is no answer', async () => {
  const { declared, good } = goods([{ fault: 'timeout' }, services('a')], 'reject');
  await expect(declared('r1', 's0')).rejects.toThrow('It cannot be read.');
  await expect(good('r1')).rejects.toThrow('It cannot be read.');
});

test('an ancestor declared what it names by a variable, whether that is set or not', async () => {
  const consumers = (keys: string) => `consumers: [{ username: web, keyauth_credentials: [${keys}] }]`;
  const { repository, builds, scope, history } = goods(
    [consumers(`{ key: '\${{ env "DECK_A" }}' }, { key: '\${{ env "DECK_B" }}' }`), consumers('')],
    'reject',
  ).world;
  const wanted = new Set([declaredName('keyauth_credentials', 'web/sha256:old')]);
  const found = await declaredInPast(
    repository,
    builds,
    { revision: 'r1', scope, history },
    wanted,
    new AbortController().signal,
  );
  const places = [...found].filter((name) => /^environment \d+ keyauth_credentials\n/.test(name));
  expect(places.map((name) => name.split('\n')[2])).toEqual(['web', 'web']);
});
