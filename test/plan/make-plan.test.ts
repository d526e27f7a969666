import { describe, expect, test } from 'vitest';
import type { RawEntity } from '../../src/model/assemble.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { State } from '../../src/model/state.ts';
import { deliver, Store } from './store.ts';
import { changesOf, fieldsOf, planFrom, raw, stateFrom, uuid, writesIn } from './support.ts';

describe('plan', () => {
  test('lists nothing and counts everything where all is in place', () => {
    const state = stateFrom([raw('services', { name: 's', host: 'h.test' })]);
    expect(planFrom(state, state).plan).toMatchObject({
      destination: 'prod',
      summary: { create: 0, update: 0, delete: 0, unchanged: 1 },
      changes: [],
      warnings: [],
      held: null,
    });
  });

  test('says of each change where it was written and what it belongs to', () => {
    const service = raw('services', { name: 'shop', host: 'h.test' });
    const target = stateFrom([service, raw('routes', { name: 'orders', paths: ['/a'] }, { to: { service } })]);
    expect(planFrom(stateFrom([]), target).plan.changes[1]).toMatchObject({
      action: 'create',
      kind: 'routes',
      name: 'orders',
      parent: { kind: 'services', name: 'shop' },
      location: { file: 'gateway.yaml', line: 3 },
      fields: [
        { path: '/name', to: 'orders' },
        { path: '/paths/0', to: '/a' },
        { path: '/service', to: 'shop' },
      ],
    });
  });

  test('adopts the id of a live entity of the same identity, in every reference too', () => {
    const live = stateFrom([raw('services', { name: 'shop', host: 'h.test' }, { id: uuid(1) })]);
    const service = raw('services', { name: 'shop', host: 'h.test' });
    const target = stateFrom([service, raw('routes', { name: 'r', paths: ['/a'] }, { to: { service } })]);
    const { plan, writes } = planFrom(live, target);
    expect(plan.summary).toEqual({ create: 1, update: 0, delete: 0, unchanged: 1 });
    expect(writes.map(({ body }) => body?.['service'])).toEqual([{ id: uuid(1) }]);
  });

  test('knows an entity that was renamed by hand by its derived id', () => {
    const [written] = [raw('services', { name: 'shop', host: 'h.test' })];
    const id = stateFrom([written]).entities.get('services')?.[0]?.id ?? '';
    const live = stateFrom([raw('services', { name: 'renamed', host: 'h.test' }, { id })]);
    const renamed = planFrom(live, stateFrom([written]));
    expect(changesOf(renamed)).toEqual(['update services shop']);
    const both = planFrom(live, stateFrom([written, raw('services', { name: 'renamed', host: 'h.test' })]));
    expect(writesIn(both)).toEqual(['update services shop', 'create services renamed [0]']);
  });

  test('sends what was written, not the defaults, and keeps the time of creation', () => {
    const target = stateFrom([raw('services', { name: 'shop', host: 'new.test' }, { id: uuid(1) })]);
    const live = stateFrom([
      raw(
        'services',
        { name: 'shop', host: 'old.test', port: 80 },
        { id: uuid(1), made: { created_at: 7, updated_at: 9 } },
      ),
    ]);
    expect(planFrom(live, target).writes.map(({ body }) => body)).toEqual([
      { id: uuid(1), name: 'shop', host: 'new.test', created_at: 7 },
    ]);
  });

  test('names no SNIs when it writes a certificate to Konnect, and the live ones when it writes to Kong', () => {
    const certificate = raw('certificates', { cert: 'c', key: 'k' }, { id: uuid(1), made: { snis: ['others.test'] } });
    const sni = raw('snis', { name: 'a.test' }, { to: { certificate } });
    const live = stateFrom([certificate, sni]);
    const renewed = raw('certificates', { cert: 'd', key: 'l' }, { id: uuid(1) });
    const target = stateFrom([renewed, raw('snis', { name: 'a.test' }, { to: { certificate: renewed } })]);
    const snis = (mode: 'database' | 'konnect') => planFrom(live, target, { mode }).writes[0]?.body?.['snis'];
    expect(snis('database')).toEqual(['a.test', 'others.test']);
    expect(snis('konnect')).toBeUndefined();
  });

  test('shows the difference to a DB-less node and writes nothing by entity', () => {
    const target = stateFrom([raw('services', { name: 's', host: 'h.test' })]);
    const { plan, writes } = planFrom(stateFrom([]), target, { mode: 'dbless' });
    expect(plan.summary.create).toBe(1);
    expect(writes).toEqual([]);
  });

  test('keeps a time to live that counts down, and renews one that was made longer', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const state = (ttl: number | null) =>
      stateFrom([consumer, raw('keyauth_credentials', { key: 'k', ttl }, { to: { consumer } })]);
    expect(changesOf(planFrom(state(57), state(100)))).toEqual([]);
    expect(fieldsOf(planFrom(state(100), state(57)))).toEqual(['/ttl: 100 → 57']);
    expect(planFrom(state(100), state(null)).writes[0]?.body).not.toHaveProperty('ttl');
  });

  test('does not compare what the destination keeps back, and says so', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const state = (fields: { [field: string]: string }) =>
      stateFrom([consumer, raw('basicauth_credentials', { username: 'ann', ...fields }, { to: { consumer } })]);
    const { plan, unread } = planFrom(state({}), state({ password: 'secret' }));
    expect(plan.changes).toEqual([]);
    expect(unread).toEqual(['basicauth_credentials/password']);
  });

  test('leaves alone what the server made up where nothing was written', () => {
    const consumer = raw('consumers', { username: 'ann' });
    const state = (fields: { [field: string]: string }) =>
      stateFrom([consumer, raw('jwt_secrets', { key: 'issuer', ...fields }, { to: { consumer } })]);
    expect(changesOf(planFrom(state({ secret: 'made-by-the-server' }), state({})))).toEqual([]);
  });

  test('takes line ends of a PEM text for what they are', () => {
    const state = (cert: string) => stateFrom([raw('certificates', { cert, key: 'k' }, { id: uuid(1) })]);
    const pem = '-----BEGIN CERTIFICATE-----\nQUFB\n-----END CERTIFICATE-----';
    expect(changesOf(planFrom(state(`${pem}\n`), state(pem.replaceAll('\n', '\r\n'))))).toEqual([]);
  });

  test('turns three names in a circle with one temporary name', () => {
    const state = (names: readonly string[]) =>
      stateFrom(names.map((name, at) => raw('consumers', { username: name }, { id: uuid(at) })));
    const store = new Store();
    deliver(store, planFrom(store.read(), state(['a', 'b', 'c'])));
    const delivery = planFrom(store.read(), state(['b', 'c', 'a']));
    expect(delivery.writes).toHaveLength(4);
    deliver(store, delivery);
    expect(changesOf(planFrom(store.read(), state(['b', 'c', 'a'])))).toEqual([]);
  });

  test('says what no order of writes can do: two CA certificates in use that swap their contents', () => {
    const state = (first: string, second: string) => {
      const certificates = [first, second].map((cert, at) => raw('ca_certificates', { cert }, { id: uuid(at) }));
      const fields = { name: 's', host: 'h.test', protocol: 'https' };
      return stateFrom([...certificates, raw('services', fields, { to: { ca_certificates: certificates } })]);
    };
    const { plan, writes } = planFrom(state('one', 'two'), state('two', 'one'));
    expect(writes.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
      'update ca_certificates',
      'update ca_certificates',
    ]);
    expect(plan.warnings).toEqual([expect.stringContaining('its change may be refused')]);
  });

  test('gives an approval to one fingerprint: other live values, order or destination make another', () => {
    const state = (host: string) => stateFrom([raw('services', { name: 's', host }, { id: uuid(1) })]);
    const target = state('new.test');
    const fingerprint = (from: string, destination = 'prod') =>
      planFrom(state(from), target, { destination }).plan.fingerprint;
    expect(fingerprint('a.test')).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(fingerprint('a.test')).toBe(fingerprint('a.test'));
    expect(new Set([fingerprint('a.test'), fingerprint('b.test'), fingerprint('a.test', 'other')]).size).toBe(3);
  });

  test('makes no detour where what is there already can be named before it changes', () => {
    const consumer = (at: number, fields: JsonObject) => raw('consumers', fields, { id: uuid(at) });
    const login = (to: RawEntity) =>
      raw('basicauth_credentials', { username: 'l' }, { id: uuid(9), to: { consumer: to } });
    const [before, goes] = [consumer(1, { username: 'a' }), consumer(2, { username: 'b', custom_id: 'x' })];
    const after = consumer(1, { username: 'a', custom_id: 'x' });
    const planned = planFrom(stateFrom([before, goes, login(goes)]), stateFrom([after, login(after)]));
    expect(writesIn(planned)).toEqual([
      'update basicauth_credentials l',
      'delete consumers b [0]',
      'update consumers a [1]',
    ]);
  });

  test('lets that one of a circle make way with which the fewest writes are needed', () => {
    const consumer = (at: number, fields: JsonObject) => raw('consumers', fields, { id: uuid(at) });
    const login = (to: RawEntity) =>
      raw('basicauth_credentials', { username: 'l' }, { id: uuid(9), to: { consumer: to } });
    const [stays, goes] = [consumer(1, { username: 'u1' }), consumer(2, { username: 'u2', custom_id: 'x' })];
    const [renamed, comes] = [consumer(1, { username: 'u2' }), consumer(3, { username: 'u1', custom_id: 'x' })];
    const planned = planFrom(stateFrom([stays, goes, login(goes)]), stateFrom([renamed, comes, login(comes)]));
    // All four change once, and what goes lets go of both of its values first.
    expect(planned.writes).toHaveLength(5);
  });

  test('looks twice as often where there is twice as much, not four times', () => {
    const looks = (size: number) => {
      const entities = Array.from({ length: size }, (_, at) => {
        const service = raw('services', { name: `s${at}`, host: 'h.test' });
        const consumer = raw('consumers', { username: `c${at}` });
        return [
          service,
          consumer,
          raw('routes', { name: `r${at}`, paths: [`/${at}`] }, { to: { service } }),
          raw('keyauth_credentials', { key: `key-${at}` }, { to: { consumer } }),
          raw('plugins', { name: 'rate-limiting', config: { minute: 5, policy: 'local' } }, { to: { service } }),
        ];
      }).flat();
      let count = 0;
      const state = stateFrom(entities);
      const watched: State = {
        ...state,
        byId: (kind, id) => {
          count += 1;
          return state.byId(kind, id);
        },
        byIdentity: (kind, identity) => {
          count += 1;
          return state.byIdentity(kind, identity);
        },
      };
      expect(planFrom(stateFrom([]), watched).writes).toHaveLength(5 * size);
      expect(planFrom(watched, watched).plan.changes).toEqual([]);
      expect(planFrom(watched, stateFrom([])).plan.changes).toHaveLength(5 * size);
      return count;
    };
    const [some, twice] = [looks(100), looks(200)];
    expect(some).toBeGreaterThan(0);
    expect(twice).toBeLessThan(2.1 * some);
  });
});
