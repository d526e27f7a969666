import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { wireBody } from '../../src/model/entity.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { kinds } from '../../src/model/kinds.ts';
import { allEntities } from '../../src/model/state.ts';
import { type Bench, bundledSchemas, offerOf } from './bench.ts';
import { applied, deck, fieldOf, idIn, one, settled } from './changing.ts';
import { deliver, wordsOf } from './deliver.ts';
import type { Contract } from './destination.ts';

/** What exists already, and who it belongs to. A DB-less node is always owned whole, and takes the ids it is given. */
export function owning({ holds, mode, edition }: Contract): void {
  if (mode === 'dbless') {
    holds('takes over what another client has pushed', async (bench) => {
      const files = deck({ services: [{ name: 'a', host: 'a.test' }] });
      await applied(bench, files);
      const foreign = {
        _format_version: '3.0',
        services: [
          { id: randomUUID(), name: 'a', host: 'x.test' },
          { name: 'b', host: 'b.test' },
        ],
      };
      await bench.ask('POST', '/config', { config: JSON.stringify(foreign) });
      const { plan } = await applied(bench, files);
      expect(plan?.summary).toMatchObject({ update: 1, delete: 1 });
      expect(await fieldOf(bench, 'services', 'name')).toEqual(['a']);
      await settled(bench, files);
    });
    return;
  }

  const made = async (bench: Bench, path: string, body: JsonObject): Promise<string> => {
    const id = randomUUID();
    const { status, body: answer } = await bench.ask('PUT', `${path}/${id}`, body);
    expect(status, JSON.stringify(answer)).toBeLessThan(300);
    return id;
  };

  holds('adopts what was made by hand under other ids, and goes on with what belongs to it', async (bench) => {
    const service = await made(bench, '/services', { name: 'a', host: 'a.test' });
    const route = await made(bench, '/routes', { name: 'r', paths: ['/r'], service: { id: service } });
    const plugin = await made(bench, '/plugins', { name: 'cors', route: { id: route } });
    const consumer = await made(bench, '/consumers', { username: 'ann' });
    await made(bench, `/consumers/${consumer}/key-auth`, { key: 'by-hand' });
    const upstream = await made(bench, '/upstreams', { name: 'u.test' });
    await bench.ask('POST', `/upstreams/${upstream}/targets`, { target: 'x.test:80', weight: 1 });

    const repository = (port: number, weight: number) =>
      deck({
        services: [
          { name: 'a', host: 'a.test', port, routes: [{ name: 'r', paths: ['/r'], plugins: [{ name: 'cors' }] }] },
        ],
        consumers: [
          { username: 'ann', keyauth_credentials: [{ key: 'by-hand' }, { key: 'declared' }], acls: [{ group: 'g' }] },
        ],
        upstreams: [{ name: 'u.test', targets: [{ target: 'x.test:80', weight }, { target: 'y.test:80' }] }],
      });
    await applied(bench, repository(80, 1));
    expect(await one(bench, 'services', 'name', 'a')).toMatchObject({ id: service });
    expect(await one(bench, 'routes', 'name', 'r')).toMatchObject({ id: route });
    expect(await one(bench, 'plugins', 'name', 'cors')).toMatchObject({ id: plugin });
    expect(idIn(await one(bench, 'keyauth_credentials', 'key', 'declared'), 'consumer')).toBe(consumer);
    expect(idIn(await one(bench, 'acls', 'group', 'g'), 'consumer')).toBe(consumer);
    await settled(bench, repository(80, 1));

    await applied(bench, repository(8080, 9));
    expect(await one(bench, 'services', 'name', 'a')).toMatchObject({ id: service, port: 8080 });
    expect(await one(bench, 'targets', 'target', 'x.test:80')).toMatchObject({ weight: 9 });
    await settled(bench, repository(8080, 9));
  });

  holds('leaves what decK made as it is', async (bench) => {
    const files = deck({
      services: [
        { name: 'a', url: 'http://a.test/x', routes: [{ name: 'r', paths: ['/r'] }], plugins: [{ name: 'cors' }] },
      ],
      consumers: [{ username: 'ann', acls: [{ group: 'g' }] }],
    });
    const schemas = await bundledSchemas();
    const { state } = offerOf(files, bench.scope, schemas[edition]).build(null);
    for (const entity of allEntities(state)) {
      const api = mode === 'konnect' ? kinds[entity.kind].konnect : kinds[entity.kind].admin;
      const parent = entity.references.find(({ field }) => field === api?.nested?.parent)?.id ?? '';
      const path = api?.write === 'nested' ? api.nested?.path.replace('{parent}', parent) : api?.flat;
      const { status, body } = await bench.ask('PUT', `/${path}/${entity.id}`, wireBody(entity));
      expect(status, JSON.stringify(body)).toBeLessThan(300);
    }
    await settled(bench, files);
  });

  holds('prunes what nobody declared, when that is let through', async (bench) => {
    await made(bench, '/services', { name: 'forgotten', host: 'a.test' });
    await applied(bench, deck({ services: [{ name: 'a', host: 'a.test' }] }));
    expect(await fieldOf(bench, 'services', 'name')).toEqual(['a']);
  });

  const mine = { tags: ['team-a'] };

  for (const [where, files, wish] of [
    ['of the destination', {}, mine],
    ['that files select', { _info: { select_tags: ['team-a'] } }, {}],
  ] as const) {
    holds(`reads, changes and prunes only what carries the tags ${where}`, async (bench) => {
      await made(bench, '/services', { name: 'theirs', host: 'theirs.test', tags: ['team-b'] });
      await made(bench, '/services', { name: 'nobodys', host: 'nobodys.test' });
      await made(bench, '/services', { name: 'old', host: 'old.test', tags: ['team-a'] });
      const repository = deck({ ...files, services: [{ name: 'a', host: 'a.test', tags: ['x'] }] });
      const { plan } = await applied(bench, repository, wish);
      expect(plan?.summary).toEqual({ create: 1, update: 0, delete: 1, unchanged: 0 });
      expect(await fieldOf(bench, 'services', 'name')).toEqual(['a', 'nobodys', 'theirs']);
      expect(await one(bench, 'services', 'name', 'a')).toMatchObject({ tags: ['x', 'team-a'] });
      await settled(bench, repository, wish);
    });
  }

  const refused = async (bench: Bench, repository: JsonObject, words: RegExp) => {
    bench.forget();
    const delivered = await deliver(bench, deck(repository), mine);
    expect(delivered.end, wordsOf(delivered)).toBe('rejected');
    expect(wordsOf(delivered)).toMatch(words);
    if (bench.emulators.length > 0) expect(bench.writes()).toBe(0);
  };

  holds('never takes over an entity outside the tags by its name', async (bench) => {
    const theirs = await made(bench, '/services', { name: 'a', host: 'theirs.test', tags: ['team-b'] });
    await refused(
      bench,
      { services: [{ name: 'a', host: 'a.test' }] },
      /kong\.json:1 .*service with the name of service "a".*"team-b"/,
    );
    expect(await bench.list('services')).toMatchObject([{ id: theirs, host: 'theirs.test', tags: ['team-b'] }]);
  });

  holds('never takes over an entity outside the tags by its id', async (bench) => {
    const id = await made(bench, '/services', { name: 'theirs', host: 'theirs.test' });
    await refused(
      bench,
      { services: [{ id, name: 'a', host: 'a.test' }] },
      /service with the id of service "a".*no tags/,
    );
    expect(await bench.list('services')).toMatchObject([{ id, name: 'theirs', host: 'theirs.test' }]);
  });

  holds('never takes over a unique value outside the tags, and shows no secret', async (bench) => {
    const consumer = await made(bench, '/consumers', { username: 'theirs', tags: ['team-b'] });
    await made(bench, `/consumers/${consumer}/key-auth`, { key: 'a-key-of-theirs', tags: ['team-b'] });
    await applied(
      bench,
      deck({ consumers: [{ username: 'ann', keyauth_credentials: [{ id: mineId, key: 'mine' }] }] }),
      mine,
    );
    const repository = {
      consumers: [{ username: 'ann', keyauth_credentials: [{ id: mineId, key: 'a-key-of-theirs' }] }],
    };
    await refused(bench, repository, /key-auth credential with the key of .*"team-b"/);
    expect(wordsOf(await deliver(bench, deck(repository), mine))).not.toContain('a-key-of-theirs');
    expect(idIn(await one(bench, 'keyauth_credentials', 'key', 'a-key-of-theirs'), 'consumer')).toBe(consumer);
  });

  holds('never takes over a target outside the tags', async (bench) => {
    const pool = (targets: readonly JsonObject[]) => ({ upstreams: [{ name: 'u.test', targets }] });
    await applied(bench, deck(pool([])), mine);
    const upstream = await one(bench, 'upstreams', 'name', 'u.test');
    await bench.ask('POST', `/upstreams/${String(upstream['id'])}/targets`, { target: 'x.test', weight: 3 });
    await refused(bench, pool([{ target: 'x.test:8000', weight: 9 }]), /target with the upstream, target of/);
    expect(await fieldOf(bench, 'targets', 'weight')).toEqual([3]);
  });

  holds('names what others own, and leaves it alone', async (bench) => {
    const shared = await made(bench, '/services', { name: 'shared', host: 'shared.test', tags: ['team-b'] });
    const repository = deck({
      _info: { default_lookup_tags: { services: ['team-b'] } },
      routes: [{ name: 'r', paths: ['/r'], service: { name: 'shared' } }],
    });
    await applied(bench, repository, mine);
    expect(idIn(await one(bench, 'routes', 'name', 'r'), 'service')).toBe(shared);
    expect(await one(bench, 'services', 'name', 'shared')).toMatchObject({ host: 'shared.test', tags: ['team-b'] });
    await settled(bench, repository, mine);
  });

  const mineId = '3f0c6f86-52f5-4bb4-9a33-4f6b8a6d1e01';
}
