import type { Json, JsonObject } from '../../../src/model/json.ts';
import type { KindName } from '../../../src/model/kind.ts';
import { material } from '../full.ts';

/** One entity of the repository that is walked through. `under` names others by their number, by foreign key. */
export interface Thing {
  readonly number: number;
  readonly kind: KindName;
  /** An id that is written down, or null where it is derived. */
  id: string | null;
  fields: { [field: string]: Json };
  under: { [field: string]: number };
}

/** What a kind can be edited by. */
export interface Shape {
  readonly fresh: (at: number) => { [field: string]: Json };
  /** Foreign keys; the first of several that are not required may be left out. */
  readonly parents: readonly { readonly field: string; readonly kind: KindName; readonly required: boolean }[];
  /** Fields whose value one entity may have, and how a new one is written. */
  readonly unique: { readonly [field: string]: (at: number) => Json };
  /** Fields that change without a meaning for what the entity is. */
  readonly plain: { readonly [field: string]: (at: number) => Json };
  readonly tags: boolean;
  readonly mayHaveId: boolean;
}

const service = { field: 'service', kind: 'services', required: false } as const;
const consumer = { field: 'consumer', kind: 'consumers', required: true } as const;
const certificates = [material.web, material.renewed, material.client];

/** The plugins that are walked with: each is in every scope once at most. */
const pluginNames = ['cors', 'correlation-id', 'request-size-limiting', 'key-auth'] as const;

/** The kinds that are walked through. */
export const shapes: { readonly [K in KindName]?: Shape } = {
  certificates: {
    fresh: (at) => ({ cert: certificates[at % 3]?.cert ?? '', key: certificates[at % 3]?.key ?? '' }),
    parents: [],
    unique: {},
    plain: {},
    tags: true,
    mayHaveId: true,
  },
  snis: {
    fresh: (at) => ({ name: `n${at}.test` }),
    parents: [{ field: 'certificate', kind: 'certificates', required: true }],
    unique: { name: (at) => `n${at}.test` },
    plain: {},
    tags: true,
    mayHaveId: true,
  },
  services: {
    fresh: (at) => ({ name: `s${at}`, host: `h${at}.test`, protocol: 'https' }),
    parents: [{ field: 'client_certificate', kind: 'certificates', required: false }],
    unique: { name: (at) => `s${at}` },
    plain: { port: (at) => 1000 + at, host: (at) => `h${at}.test`, retries: (at) => at % 7, path: (at) => `/p${at}` },
    tags: true,
    mayHaveId: true,
  },
  routes: {
    fresh: (at) => ({ name: `r${at}`, paths: [`/r${at}`] }),
    parents: [service],
    unique: { name: (at) => `r${at}` },
    plain: { paths: (at) => [`/r${at}`, `/x${at}`], methods: () => ['POST', 'GET'], strip_path: (at) => at % 2 === 0 },
    tags: true,
    mayHaveId: true,
  },
  consumers: {
    fresh: (at) => ({ username: `u${at}` }),
    parents: [],
    unique: { username: (at) => `u${at}`, custom_id: (at) => `c${at}` },
    plain: {},
    tags: true,
    mayHaveId: true,
  },
  keyauth_credentials: {
    fresh: (at) => ({ key: `key-of-${at}` }),
    parents: [consumer],
    unique: { key: (at) => `key-of-${at}` },
    plain: {},
    tags: true,
    mayHaveId: true,
  },
  basicauth_credentials: {
    fresh: (at) => ({ username: `login-${at}`, password: `password-${at}` }),
    parents: [consumer],
    unique: { username: (at) => `login-${at}` },
    plain: { password: (at) => `password-${at}` },
    tags: true,
    mayHaveId: true,
  },
  jwt_secrets: {
    fresh: (at) => ({ key: `jwt-${at}`, secret: `secret-of-${at}` }),
    parents: [consumer],
    unique: { key: (at) => `jwt-${at}` },
    plain: { secret: (at) => `secret-of-${at}` },
    tags: true,
    mayHaveId: true,
  },
  acls: {
    fresh: (at) => ({ group: `g${at}` }),
    parents: [consumer],
    unique: {},
    plain: {},
    tags: true,
    mayHaveId: true,
  },
  upstreams: {
    fresh: (at) => ({ name: `up${at}.test` }),
    parents: [],
    unique: { name: (at) => `up${at}.test` },
    plain: { slots: (at) => 100 + at, algorithm: (at) => (at % 2 === 0 ? 'least-connections' : 'round-robin') },
    tags: true,
    mayHaveId: true,
  },
  targets: {
    fresh: (at) => ({ target: `t${at}.test:80`, weight: at % 100 }),
    parents: [{ field: 'upstream', kind: 'upstreams', required: true }],
    unique: { target: (at) => `t${at}.test:80` },
    plain: { weight: (at) => at % 90 },
    tags: true,
    mayHaveId: false,
  },
  key_sets: {
    fresh: (at) => ({ name: `set${at}` }),
    parents: [],
    unique: { name: (at) => `set${at}` },
    plain: {},
    tags: true,
    mayHaveId: true,
  },
  keys: {
    fresh: (at) => ({ name: `k${at}`, kid: `kid${at}`, pem: { public_key: material.signing.publicKey } }),
    parents: [{ field: 'set', kind: 'key_sets', required: false }],
    unique: { name: (at) => `k${at}`, kid: (at) => `kid${at}` },
    plain: {},
    tags: true,
    mayHaveId: true,
  },
  vaults: {
    fresh: (at) => ({ name: 'env', prefix: `v${at}`, config: { prefix: `V${at}_` } }),
    parents: [],
    unique: { prefix: (at) => `v${at}` },
    plain: { description: (at) => `vault ${at}` },
    tags: true,
    mayHaveId: true,
  },
  plugins: {
    fresh: (at) => ({ name: pluginNames[at % pluginNames.length] ?? 'cors', instance_name: `i${at}` }),
    parents: [{ field: 'route', kind: 'routes', required: false }, service],
    unique: { instance_name: (at) => `i${at}` },
    plain: { enabled: (at) => at % 2 === 0 },
    tags: true,
    mayHaveId: true,
  },
};

/** The kinds, parents first. */
export const walked = Object.keys(shapes) as readonly KindName[];

/** How a kind is written below what it belongs to, and by which key; others stand at the top of the file. */
const nestedIn: { readonly [K in KindName]?: string } = {
  snis: 'certificate',
  keyauth_credentials: 'consumer',
  basicauth_credentials: 'consumer',
  jwt_secrets: 'consumer',
  acls: 'consumer',
  targets: 'upstream',
};

/** The things as one decK file. */
export function asDeck(things: readonly Thing[]): JsonObject {
  const byNumber = new Map(things.map((thing) => [thing.number, thing]));
  const own = (thing: Thing): JsonObject => ({ ...(thing.id === null ? {} : { id: thing.id }), ...thing.fields });
  const reference = (number: number): string => {
    const to = byNumber.get(number);
    if (to === undefined) throw new Error(`nothing has the number ${number}`);
    const name = to.fields['name'] ?? to.fields['username'];
    return to.kind === 'certificates' || typeof name !== 'string' ? (to.id ?? '') : name;
  };
  const written = (thing: Thing): JsonObject => {
    const children: { [key: string]: Json[] } = {};
    for (const child of things) {
      const field = nestedIn[child.kind];
      if (field === undefined || child.under[field] !== thing.number) continue;
      children[child.kind] = [...(children[child.kind] ?? []), written(child)];
    }
    const shape = shapes[thing.kind];
    const references = Object.entries(thing.under).flatMap(([field, number]) => {
      if (field === nestedIn[thing.kind]) return [];
      const name = reference(number);
      const kind = shape?.parents.find((parent) => parent.field === field)?.kind;
      return [[field, kind === 'certificates' ? { id: name } : thing.kind === 'plugins' ? name : { name }]];
    });
    return { ...own(thing), ...Object.fromEntries(references), ...children };
  };
  const file: { [key: string]: Json } = { _format_version: '3.0' };
  for (const kind of walked) {
    if (nestedIn[kind] !== undefined) continue;
    file[kind] = things.filter((thing) => thing.kind === kind).map(written);
  }
  return file;
}
