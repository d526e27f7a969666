import type { Kind, KindName } from './kind.ts';
import { flat, foreign, joined, nested, place, pluginScope, sha256, text, timestamps, unique } from './kind-parts.ts';
import { normalTarget } from './target-address.ts';

type TrafficKind =
  | 'services'
  | 'routes'
  | 'plugins'
  | 'upstreams'
  | 'targets'
  | 'certificates'
  | 'snis'
  | 'ca_certificates'
  | 'filter_chains';

/** What a request meets on its way through a gateway: services, routes, plugins, upstreams and their TLS material. */
export const trafficKinds: { readonly [K in TrafficKind]: Kind & { readonly name: K } } = {
  certificates: {
    name: 'certificates',
    singular: 'certificate',
    label: 'certificate',
    edition: 'oss',
    level: 1,
    foreign: [],
    parent: null,
    identity: ({ fields, snis }) => {
      if (snis.length > 0) return snis.join(',');
      const cert = text(fields, 'cert');
      return cert === null ? null : `sha256:${sha256(cert.trim())}`;
    },
    shownAs: 'identity',
    idNamespace: 'certificates',
    unique: [],
    secrets: ['/key', '/key_alt'],
    sets: ['/tags'],
    serverMade: [...timestamps, 'snis'],
    tags: true,
    deck: { topLevel: 'certificates', nested: [] },
    admin: flat('certificates'),
    konnect: flat('certificates'),
    dbless: 'certificates',
  },
  ca_certificates: {
    name: 'ca_certificates',
    singular: 'ca_certificate',
    label: 'CA certificate',
    edition: 'oss',
    level: 1,
    foreign: [],
    parent: null,
    identity: ({ fields }) => {
      const cert = text(fields, 'cert');
      return cert === null ? null : `sha256:${sha256(pemBody(cert))}`;
    },
    shownAs: 'identity',
    idNamespace: 'ca_certificates',
    unique: [],
    secrets: [],
    sets: ['/tags'],
    serverMade: [...timestamps, 'cert_digest'],
    tags: true,
    deck: { topLevel: 'ca_certificates', nested: [] },
    admin: flat('ca_certificates'),
    konnect: flat('ca_certificates'),
    dbless: 'ca_certificates',
  },
  snis: {
    name: 'snis',
    singular: 'sni',
    label: 'SNI',
    edition: 'oss',
    level: 2,
    foreign: [foreign('certificate', 'certificates', { required: true, onDelete: 'cascade' })],
    parent: 'certificate',
    identity: ({ fields }) => text(fields, 'name'),
    shownAs: 'identity',
    idNamespace: 'snis',
    unique: [unique('name')],
    secrets: [],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'snis', nested: [{ parent: 'certificates', key: 'snis', field: 'certificate' }] },
    admin: flat('snis', { parent: 'certificate', path: 'certificates/{parent}/snis' }),
    konnect: flat('snis', { parent: 'certificate', path: 'certificates/{parent}/snis' }),
    dbless: 'snis',
  },
  services: {
    name: 'services',
    singular: 'service',
    label: 'service',
    edition: 'oss',
    level: 2,
    foreign: [
      foreign('client_certificate', 'certificates'),
      foreign('ca_certificates', 'ca_certificates', { list: true, wire: 'id' }),
    ],
    parent: null,
    identity: (source) => text(source.fields, 'name') ?? place(source, null, ['protocol', 'host', 'port', 'path']),
    shownAs: 'identity',
    idNamespace: 'services',
    unique: [unique('name')],
    secrets: [],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'services', nested: [] },
    admin: flat('services'),
    konnect: flat('services'),
    dbless: 'services',
  },
  upstreams: {
    name: 'upstreams',
    singular: 'upstream',
    label: 'upstream',
    edition: 'oss',
    level: 2,
    foreign: [foreign('client_certificate', 'certificates')],
    parent: null,
    identity: ({ fields }) => text(fields, 'name'),
    shownAs: 'identity',
    idNamespace: 'upstreams',
    unique: [unique('name')],
    secrets: [],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'upstreams', nested: [] },
    admin: flat('upstreams'),
    konnect: flat('upstreams'),
    dbless: 'upstreams',
  },
  targets: {
    name: 'targets',
    singular: 'target',
    label: 'target',
    edition: 'oss',
    level: 3,
    foreign: [foreign('upstream', 'upstreams', { required: true, onDelete: 'cascade' })],
    parent: 'upstream',
    identity: ({ fields, foreign: to }) => {
      const address = text(fields, 'target');
      return joined(to('upstream'), address === null ? null : normalTarget(address));
    },
    shownAs: 'identity',
    idNamespace: 'targets',
    unique: [unique('upstream', 'target')],
    secrets: [],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'targets', nested: [{ parent: 'upstreams', key: 'targets', field: 'upstream' }] },
    admin: nested('upstream', 'upstreams/{parent}/targets', 'target', null),
    konnect: nested('upstream', 'upstreams/{parent}/targets', 'put', 'targets'),
    dbless: 'targets',
  },
  routes: {
    name: 'routes',
    singular: 'route',
    label: 'route',
    edition: 'oss',
    level: 3,
    foreign: [foreign('service', 'services')],
    parent: 'service',
    identity: (source) =>
      text(source.fields, 'name') ??
      place(source, source.foreign('service'), [
        'hosts',
        'paths',
        'methods',
        'headers',
        'snis',
        'sources',
        'destinations',
        'expression',
      ]),
    shownAs: 'identity',
    idNamespace: 'routes',
    unique: [unique('name')],
    secrets: [],
    // Kong's schema has hosts and paths as lists, but its router gives their order no meaning (deck.md 2.3).
    sets: ['/tags', '/protocols', '/methods', '/hosts', '/paths', '/snis', '/sources', '/destinations'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'routes', nested: [{ parent: 'services', key: 'routes', field: 'service' }] },
    admin: flat('routes', { parent: 'service', path: 'services/{parent}/routes' }),
    konnect: flat('routes', { parent: 'service', path: 'services/{parent}/routes' }),
    dbless: 'routes',
  },
  plugins: {
    name: 'plugins',
    singular: 'plugin',
    label: 'plugin',
    edition: 'oss',
    level: 4,
    foreign: [
      foreign('service', 'services', { onDelete: 'cascade' }),
      foreign('route', 'routes', { onDelete: 'cascade' }),
      foreign('consumer', 'consumers', { onDelete: 'cascade' }),
      foreign('consumer_group', 'consumer_groups', { onDelete: 'cascade' }),
    ],
    parent: null,
    identity: (source) => {
      const name = text(source.fields, 'name');
      return name === null ? null : `${name}${pluginScope(source)}`;
    },
    shownAs: 'identity',
    idNamespace: 'plugins',
    unique: [
      { fields: ['name', 'service', 'route', 'consumer', 'consumer_group'], nullsClash: true },
      unique('instance_name'),
    ],
    secrets: [],
    sets: ['/tags', '/protocols'],
    serverMade: timestamps,
    tags: true,
    deck: {
      topLevel: 'plugins',
      nested: [
        { parent: 'services', key: 'plugins', field: 'service' },
        { parent: 'routes', key: 'plugins', field: 'route' },
        { parent: 'consumers', key: 'plugins', field: 'consumer' },
        { parent: 'consumer_groups', key: 'plugins', field: 'consumer_group' },
      ],
    },
    admin: flat('plugins'),
    konnect: flat('plugins'),
    dbless: 'plugins',
  },
  filter_chains: {
    name: 'filter_chains',
    singular: 'filter_chain',
    label: 'filter chain',
    edition: 'oss',
    level: 4,
    foreign: [
      foreign('service', 'services', { onDelete: 'cascade' }),
      foreign('route', 'routes', { onDelete: 'cascade' }),
    ],
    parent: null,
    identity: (source) => {
      const [service, route] = [source.foreign('service'), source.foreign('route')];
      if (route !== null) return `route/${route}`;
      return service === null ? text(source.fields, 'name') : `service/${service}`;
    },
    shownAs: 'identity',
    idNamespace: 'filter_chains',
    unique: [unique('name'), unique('service'), unique('route')],
    secrets: [],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: {
      topLevel: 'filter_chains',
      nested: [
        { parent: 'services', key: 'filter_chains', field: 'service' },
        { parent: 'routes', key: 'filter_chains', field: 'route' },
      ],
    },
    admin: flat('filter-chains'),
    konnect: null,
    dbless: 'filter_chains',
  },
} satisfies { readonly [K in Extract<KindName, TrafficKind>]: Kind & { readonly name: K } };

/** The base64 inside a PEM text, without its armour and white space, so that line endings make no difference. */
function pemBody(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
}
