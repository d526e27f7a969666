import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/model/json.ts';
import { isJsonObject } from '../../src/model/json.ts';
import type { KindName } from '../../src/model/kind.ts';
import { allEntities } from '../../src/model/state.ts';
import { type Bench, bundledSchemas, type Files, offerOf } from './bench.ts';
import { deliver, wordsOf } from './deliver.ts';
import type { Contract } from './destination.ts';
import { everyKind, material } from './full.ts';

/** A decK file of the given parts. */
export function deck(parts: JsonObject): Files {
  return { 'kong.json': { _format_version: '3.0', ...parts } };
}

/** Delivers and expects that all of it was applied. */
export async function applied(bench: Bench, files: Files, wish: Parameters<typeof deliver>[2] = {}) {
  const delivered = await deliver(bench, files, wish);
  expect(delivered.end, wordsOf(delivered)).toBe('applied');
  return delivered;
}

/** The values of one field over all entities of a kind, sorted. */
export async function fieldOf(bench: Bench, kind: KindName, field: string): Promise<readonly unknown[]> {
  return (await bench.list(kind)).map((entity) => entity[field]).sort();
}

/** The entity of a kind that has a value. */
export async function one(bench: Bench, kind: KindName, field: string, value: unknown): Promise<JsonObject> {
  const found = (await bench.list(kind)).filter((entity) => entity[field] === value);
  expect(found, `${kind} with ${field} ${String(value)}`).toHaveLength(1);
  return found[0] ?? {};
}

/** The id that a foreign key of an entity holds. */
export function idIn(entity: JsonObject, field: string): unknown {
  const to = entity[field];
  return isJsonObject(to) ? to['id'] : to;
}

/** A second delivery by a process that starts anew finds nothing to do, and sends no write. */
export async function settled(bench: Bench, files: Files, wish: Parameters<typeof deliver>[2] = {}): Promise<void> {
  bench.forget();
  const again = await applied(bench, files, wish);
  expect(again.plan?.changes).toEqual([]);
  expect(again.outcome).toBeNull();
  if (bench.emulators.length > 0) expect(bench.writes()).toBe(0);
}

/** Delivering, changing and taking away. */
export function changing({ holds, mode, edition }: Contract): void {
  holds('creates every kind that it takes, and a second plan is empty', async (bench) => {
    const files = { 'kong.json': everyKind(bench) };
    const { outcome } = await applied(bench, files);
    expect(outcome?.changes.every(({ result }) => result === 'applied')).toBe(true);

    const schemas = await bundledSchemas();
    const wanted = offerOf(files, bench.scope, schemas[edition]).build(null).state;
    for (const [kind, entities] of wanted.entities) expect(await bench.list(kind), kind).toHaveLength(entities.length);
    expect(idIn(await one(bench, 'services', 'name', 'orders'), 'client_certificate')).toBe(
      (await bench.list('certificates')).find(({ cert }) => cert === material.client.cert)?.['id'],
    );
    for (const entity of allEntities(wanted)) {
      if (entity.kind === 'consumer_group_consumers') continue;
      expect(await fieldOf(bench, entity.kind, 'id'), entity.name).toContain(entity.id);
    }
    await settled(bench, files);
  });

  holds('changes a field, and puts one that is no longer written back to its default', async (bench) => {
    await applied(bench, deck({ services: [{ name: 'a', host: 'a.test', retries: 1, path: '/a' }] }));
    const files = deck({ services: [{ name: 'a', host: 'b.test' }] });
    const { plan } = await applied(bench, files);
    expect(plan?.summary).toMatchObject({ create: 0, update: 1, delete: 0 });
    expect(await one(bench, 'services', 'name', 'a')).toMatchObject({ host: 'b.test', retries: 5 });
    expect((await one(bench, 'services', 'name', 'a'))['path'] ?? null).toBeNull();
    await settled(bench, files);
  });

  holds('deletes what is no longer declared, children and all', async (bench) => {
    await applied(bench, { 'kong.json': everyKind(bench) });
    const files = deck({ consumers: [{ username: 'ann', custom_id: 'a-1', tags: ['people'] }] });
    await applied(bench, files);
    expect(await fieldOf(bench, 'consumers', 'username')).toEqual(['ann']);
    for (const kind of ['services', 'routes', 'plugins', 'upstreams', 'certificates', 'snis', 'keys'] as const) {
      expect(await bench.list(kind), kind).toEqual([]);
    }
    for (const kind of ['keyauth_credentials', 'basicauth_credentials', 'acls'] as const) {
      expect(await bench.list(kind), kind).toEqual([]);
    }
    await settled(bench, files);
  });

  if (mode !== 'dbless') {
    holds('keeps what is not declared where prune is off', async (bench) => {
      const policy = { ...bench.settings.policy, prune: false };
      await applied(bench, deck({ services: [{ name: 'a', host: 'a.test' }] }));
      await applied(bench, deck({ services: [{ name: 'b', host: 'b.test' }] }), { settings: { policy } });
      expect(await fieldOf(bench, 'services', 'name')).toEqual(['a', 'b']);
    });
  }

  holds('empties the destination when a person let that through', async (bench) => {
    await applied(bench, deck({ services: [{ name: 'a', host: 'a.test' }] }));
    await applied(bench, deck({}));
    expect(await bench.list('services')).toEqual([]);
    await settled(bench, deck({}));
  });

  holds('renames an entity that has an id', async (bench) => {
    const id = '6f0d2e7a-94cb-4b0a-8a5c-3d1f5a1b7c01';
    const named = (name: string) =>
      deck({ services: [{ id, name, host: 'a.test', routes: [{ name: 'r', paths: ['/r'] }] }] });
    await applied(bench, named('before'));
    await applied(bench, named('after'));
    expect(await one(bench, 'services', 'name', 'after')).toMatchObject({ id });
    expect(idIn(await one(bench, 'routes', 'name', 'r'), 'service')).toBe(id);
    expect(await bench.list('services')).toHaveLength(1);
    await settled(bench, named('after'));
  });

  holds('renames an entity without an id, with all that belongs to it', async (bench) => {
    const named = (name: string) =>
      deck({
        services: [{ name, host: 'a.test', routes: [{ name: 'r', paths: ['/r'], plugins: [{ name: 'cors' }] }] }],
        consumers: [{ username: name, keyauth_credentials: [{ key: 'the-key' }], acls: [{ group: 'g' }] }],
      });
    await applied(bench, named('before'));
    await applied(bench, named('after'));
    expect(await fieldOf(bench, 'services', 'name')).toEqual(['after']);
    const service = await one(bench, 'services', 'name', 'after');
    expect(idIn(await one(bench, 'routes', 'name', 'r'), 'service')).toBe(service['id']);
    const consumer = await one(bench, 'consumers', 'username', 'after');
    expect(idIn(await one(bench, 'keyauth_credentials', 'key', 'the-key'), 'consumer')).toBe(consumer['id']);
    expect(await bench.list('plugins')).toHaveLength(1);
    await settled(bench, named('after'));
  });

  holds('sends a changed basic-auth password', async (bench) => {
    const withPassword = (password: string) =>
      deck({ consumers: [{ username: 'ann', basicauth_credentials: [{ username: 'ann', password }] }] });
    await applied(bench, withPassword('first'));
    const before = await one(bench, 'basicauth_credentials', 'username', 'ann');
    await applied(bench, withPassword('second'));
    const after = await one(bench, 'basicauth_credentials', 'username', 'ann');
    expect(after['password']).not.toBe(before['password']);
    expect(after['id']).toBe(before['id']);
    if (mode !== 'dbless') {
      const hash = createHash('sha1')
        .update(`second${String(idIn(after, 'consumer'))}`)
        .digest('hex');
      expect(after['password']).toBe(hash);
    }
    await settled(bench, withPassword('second'));
  });

  holds('keeps a password of which the files have the stored hash', async (bench) => {
    if (mode === 'dbless') return;
    const withTags = (password: unknown, tags: readonly string[]) =>
      deck({
        consumers: [
          {
            username: 'ann',
            basicauth_credentials: [
              { username: 'ann', password: String(password), ...(tags.length === 0 ? {} : { tags: [...tags] }) },
            ],
          },
        ],
      });
    await applied(bench, withTags('first', []));
    const before = await one(bench, 'basicauth_credentials', 'username', 'ann');
    for (const tags of [['x'], ['x', 'y'], []]) {
      const files = withTags(before['password'], tags);
      await applied(bench, files);
      const after = await one(bench, 'basicauth_credentials', 'username', 'ann');
      expect(after['password']).toBe(before['password']);
      expect(after['tags'] ?? []).toEqual(tags);
      await settled(bench, files);
    }
  });

  holds('changes the weight of a target, and takes one away', async (bench) => {
    const pool = (targets: readonly JsonObject[]) => deck({ upstreams: [{ name: 'pool.test', targets }] });
    await applied(bench, pool([{ target: 'a.test:80', weight: 1, tags: ['t'] }, { target: 'b.test:80' }]));
    await applied(bench, pool([{ target: 'a.test:80', weight: 7 }]));
    const [target, ...others] = await bench.list('targets');
    expect(others).toEqual([]);
    expect(target).toMatchObject({ target: 'a.test:80', weight: 7 });
    expect(target?.['tags'] ?? []).toEqual([]);
    await applied(bench, pool([{ target: 'a.test:80' }]));
    expect(await fieldOf(bench, 'targets', 'weight')).toEqual([100]);
    await settled(bench, pool([{ target: 'a.test:80' }]));
  });

  holds('renews a certificate in place, its SNIs with it', async (bench) => {
    const files = (pair: { readonly cert: string; readonly key: string }) =>
      deck({ certificates: [{ ...pair, snis: [{ name: 'a.test' }, { name: 'b.test' }] }] });
    await applied(bench, files(material.web));
    const [before] = await bench.list('certificates');
    await applied(bench, files(material.renewed));
    const [after] = await bench.list('certificates');
    expect(after).toMatchObject({ id: before?.['id'], cert: material.renewed.cert });
    expect(await fieldOf(bench, 'snis', 'name')).toEqual(['a.test', 'b.test']);
    for (const sni of await bench.list('snis')) expect(idIn(sni, 'certificate')).toBe(before?.['id']);
    await settled(bench, files(material.renewed));
  });

  if (edition === 'enterprise') {
    holds('puts consumers into groups and takes them out', async (bench) => {
      const members = (...names: readonly string[]) =>
        deck({
          consumers: [{ username: 'ann' }, { username: 'bob' }],
          consumer_groups: [{ name: 'gold', consumers: names.map((username) => ({ username })) }],
        });
      const inGroup = async () =>
        (await bench.list('consumer_group_consumers')).map((entry) => entry['username']).sort();
      await applied(bench, members('ann'));
      expect(await inGroup()).toEqual(['ann']);
      await applied(bench, members('bob'));
      expect(await inGroup()).toEqual(['bob']);
      await settled(bench, members('bob'));
      await applied(bench, members());
      expect(await inGroup()).toEqual([]);
      await settled(bench, members());
    });
  } else {
    holds('refuses what only Enterprise has, before anything is sent', async (bench) => {
      const files = {
        'groups.yaml': '_format_version: "3.0"\nservices:\n- {name: a, host: a.test}\nconsumer_groups:\n- name: gold\n',
      };
      bench.forget();
      const delivered = await deliver(bench, files);
      expect(delivered.end).toBe('rejected');
      expect(wordsOf(delivered)).toMatch(/groups\.yaml:5 .*consumer group "gold".*Enterprise/);
      expect(await bench.list('services')).toEqual([]);
    });
  }

  holds('reads and writes more than one page of a collection', async (bench) => {
    const consumers = Array.from({ length: 1100 }, (_, at) => ({ username: `c-${at}` }));
    await applied(bench, deck({ consumers }));
    expect(await bench.list('consumers')).toHaveLength(1100);
    await settled(bench, deck({ consumers }));
    await applied(bench, deck({ consumers: consumers.slice(0, 1000) }));
    expect(await bench.list('consumers')).toHaveLength(1000);
    await settled(bench, deck({ consumers: consumers.slice(0, 1000) }));
  });

  holds('makes a plan, and a fingerprint to approve, that do not depend on what was asked before', async (bench) => {
    const used = bench.open();
    const plugin = { name: 'rate-limiting', config: { minute: 5, policy: 'local' } };
    const service = { name: 'orders', host: 'orders.internal' };
    await deliver(
      bench,
      { 'kong.json': { _format_version: '3.0', services: [{ ...service, plugins: [plugin] }] } },
      { destination: used },
    );
    const files = { 'kong.json': { _format_version: '3.0', services: [service] } };
    const looking = { goOn: () => false };
    const [first, second] = [
      await deliver(bench, files, { ...looking, destination: used }),
      await deliver(bench, files, { ...looking, destination: bench.open() }),
    ];
    expect(first.plan?.summary.delete).toBe(1);
    expect(second.plan).toEqual(first.plan);
  });
}
