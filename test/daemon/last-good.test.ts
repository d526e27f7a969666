import { beforeAll, describe, expect, test } from 'vitest';
import { build } from '../../src/build/build.ts';
import type { Scope } from '../../src/build/built.ts';
import { LastGoods } from '../../src/daemon/last-good.ts';
import type { Repository } from '../../src/git/repository.ts';
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

/** A branch whose commits are `r0`, `r1`, …, each one file, and how often one was read. */
function branch(commits: readonly string[]): Pick<Repository, 'ancestors' | 'fetch' | 'read'> & { reads: number } {
  const repository = {
    reads: 0,
    ancestors: async (revision: string, limit: number) => {
      const at = Number(revision.slice(1));
      return Array.from({ length: Math.min(at, limit) }, (_, back) => `r${at - back - 1}`);
    },
    fetch: async () => undefined,
    read: async (revision: string) => {
      repository.reads += 1;
      const text = `_format_version: "3.0"\n${commits[Number(revision.slice(1))] ?? ''}`;
      return {
        revision,
        entries: new Map([['a.yaml', { type: 'file' as const, bytes: Buffer.from(text), blob: null }]]),
      };
    },
  };
  return repository;
}

function goods(commits: readonly string[], onInvalid: 'reject' | 'quarantine') {
  const repository = branch(commits);
  const unused = () => Promise.reject(new Error('not asked'));
  const found = new LastGoods({
    repository: Object.assign(repository, { resolve: unused, describe: unused, close: unused }),
    builds: {
      build,
      assumed: schemas,
      now: () => 0,
      settings: { rules: {}, environment: () => undefined },
    },
    scope,
    history: 500,
    onInvalid,
  });
  const good = async (revision: string, passedOver: readonly string[] = []) => {
    const one = await found.before(revision, null, new Set(passedOver), new AbortController().signal);
    if (one === null) return null;
    const hosts = allEntities(one.build(null).state).map(({ name, fields }) => `${name}=${String(fields['host'])}`);
    return `${one.revision}: ${hosts.join(' ')}`;
  };
  return { good, repository };
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
