import type { JsonObject } from '../../src/model/json.ts';

/** Two states, and how many writes it takes to come from one to the other. */
export interface Move {
  readonly title: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly writes: number;
  /** Whether a route stays closed where the second of two plugins that wait for each other is refused. */
  readonly closes?: true;
}

const x = '0a1b2c3d-0000-4000-8000-00000000001a';
const y = '0a1b2c3d-0000-4000-8000-00000000001b';
const z = '0a1b2c3d-0000-4000-8000-00000000001c';
const keyAuth: JsonObject = { name: 'key-auth' };
const basicAuth: JsonObject = { name: 'basic-auth' };
const given: JsonObject = { ...keyAuth, id: x };

function service(name: string, parts: JsonObject = {}, ...routes: readonly JsonObject[]): JsonObject {
  return { name, host: `${name}.test`, ...parts, routes };
}

function route(parts: JsonObject = {}, ...plugins: readonly JsonObject[]): JsonObject {
  return { name: 'r', paths: ['/r'], ...parts, plugins };
}

function lettingIn(...allow: readonly string[]): JsonObject {
  return { name: 'ip-restriction', config: { allow } };
}

function state(...services: readonly JsonObject[]): JsonObject {
  return { services };
}

const q: JsonObject = { name: 'q', paths: ['/q'] };
const secret = { host: 'secret.test' };

/** Ways from one state to another on which the order of the writes is all that keeps routes protected. */
export const moves: readonly Move[] = [
  {
    title: 'two plugins of one name leave their scopes, of which only one can be had meanwhile',
    before: state(
      service(
        'a',
        { plugins: [{ ...given, config: { key_names: ['a'] } }] },
        route({}, { ...keyAuth, id: y, instance_name: 'i' }),
      ),
    ),
    after: state(
      service(
        'a',
        { plugins: [{ ...keyAuth, id: z, instance_name: 'i' }] },
        route({}, { ...given, config: { key_names: ['b'] } }),
      ),
    ),
    writes: 6,
    closes: true,
  },
  {
    title: 'a plugin moves from a route to the service that the route moves to',
    before: state(service('a', {}, route({}, given)), service('b')),
    after: state(service('a'), service('b', { plugins: [given] }, route())),
    writes: 2,
  },
  {
    title: 'a plugin moves from a service to a route that moves to another service',
    before: state(service('a', { plugins: [given] }, route()), service('b')),
    after: state(service('a'), service('b', {}, route({}, given))),
    writes: 2,
  },
  {
    title: 'a plugin moves from everywhere to the service that a route moves to',
    before: { plugins: [given], ...state(service('a', {}, route()), service('b')) },
    after: state(service('a'), service('b', { plugins: [given] }, route())),
    writes: 2,
  },
  {
    title: 'a plugin of a service comes to be everywhere, while a route leaves the service',
    before: state(service('a', { plugins: [given] }, route()), service('b')),
    after: { plugins: [given], ...state(service('a'), service('b', {}, route())) },
    writes: 2,
  },
  {
    title: 'a route is given a public path, and loses its plugin',
    before: state(service('a', {}, route({ paths: ['/secret'] }, keyAuth))),
    after: state(service('a', {}, route({ paths: ['/public'] }))),
    writes: 2,
  },
  {
    title: 'a route is given a public path, and its service loses its plugin',
    before: state(service('a', { plugins: [keyAuth] }, route({ paths: ['/secret'] }))),
    after: state(service('a', {}, route({ paths: ['/public'] }))),
    writes: 2,
  },
  {
    title: 'two routes change paths, and one is protected by then',
    before: state(service('a', {}, route({}, keyAuth), { ...q })),
    after: state(service('a', {}, route({ paths: ['/q'] }), { name: 'q', paths: ['/r'], plugins: [keyAuth] })),
    writes: 4,
  },
  {
    title: 'a service leads elsewhere once it is protected',
    before: state(service('a', {}, route())),
    after: state(service('a', { ...secret, plugins: [keyAuth] }, route())),
    writes: 2,
  },
  {
    title: 'a service leads elsewhere once its route is protected',
    before: state(service('a', {}, route())),
    after: state(service('a', secret, route({}, keyAuth))),
    writes: 2,
  },
  {
    title: 'a service leads elsewhere once everything is protected',
    before: state(service('a', {}, route())),
    after: { plugins: [keyAuth], ...state(service('a', secret, route())) },
    writes: 2,
  },
  {
    title: 'a service leads elsewhere before its plugin goes',
    before: state(service('a', { ...secret, plugins: [keyAuth] }, route())),
    after: state(service('a', {}, route())),
    writes: 2,
  },
  {
    title: 'a service leads elsewhere under another plugin',
    before: state(service('a', { plugins: [keyAuth] }, route())),
    after: state(service('a', { ...secret, plugins: [basicAuth] }, route())),
    writes: 3,
  },
  {
    title: 'a service is disabled before its plugin goes',
    before: state(service('a', { plugins: [keyAuth] }, route())),
    after: state(service('a', { enabled: false }, route())),
    writes: 2,
  },
  {
    title: 'more addresses are let in once they are asked who they are',
    before: state(service('a', { plugins: [lettingIn('10.0.0.1')] }, route())),
    after: state(service('a', { plugins: [lettingIn('0.0.0.0/0'), keyAuth] }, route())),
    writes: 2,
  },
  {
    title: 'a plugin of a route that goes moves to the service',
    before: state(service('a', {}, route({}, given), { ...q })),
    after: state(service('a', { plugins: [given] }, { ...q })),
    writes: 2,
  },
  {
    title: 'a plugin moves along with the only route of its service',
    before: state(service('a', { plugins: [given] }, route()), service('b')),
    after: state(service('a'), service('b', { plugins: [given] }, route())),
    writes: 3,
  },
  {
    title: 'a plugin moves along with two routes of its service',
    before: state(service('a', { plugins: [given] }, route(), { ...q }), service('b')),
    after: state(service('a'), service('b', { plugins: [given] }, route(), { ...q })),
    writes: 5,
  },
  {
    title: 'the id of a plugin of a route changes',
    before: state(service('a', {}, route({}, given))),
    after: state(service('a', {}, route({}, { ...keyAuth, id: y }))),
    writes: 3,
  },
  {
    title: 'the id of a plugin of a service with one route changes',
    before: state(service('a', { plugins: [given] }, route())),
    after: state(service('a', { plugins: [{ ...keyAuth, id: y }] }, route())),
    writes: 3,
  },
  {
    title: 'two plugins change places',
    before: state(service('a', {}, route({}, given), { ...q, plugins: [{ ...basicAuth, id: y }] })),
    after: state(service('a', {}, route({}, { ...basicAuth, id: y }), { ...q, plugins: [given] })),
    writes: 4,
    closes: true,
  },
  {
    title: 'two plugins of one name change places',
    before: state(
      service('a', { plugins: [given] }, route()),
      service('b', {}, { ...q, plugins: [{ ...keyAuth, id: y }] }),
    ),
    after: state(
      service('a', { plugins: [{ ...keyAuth, id: y }] }, route()),
      service('b', {}, { ...q, plugins: [given] }),
    ),
    writes: 5,
    closes: true,
  },
  {
    title: 'two plugins become each other',
    before: state(service('a', {}, route({}, given, { ...basicAuth, id: y }))),
    after: state(service('a', {}, route({}, { ...keyAuth, id: y }, { ...basicAuth, id: x }))),
    writes: 5,
    closes: true,
  },
  {
    title: 'a new route only writes logs',
    before: state(service('a')),
    after: state(service('a', {}, route({}, { name: 'cors' }, { name: 'file-log', config: { path: '/tmp/log' } }))),
    writes: 3,
  },
  {
    title: 'a new route is protected, and writes logs',
    before: state(service('a')),
    after: state(service('a', {}, route({}, keyAuth, { name: 'file-log', config: { path: '/tmp/log' } }))),
    writes: 4,
  },
];
