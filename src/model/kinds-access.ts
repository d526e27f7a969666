import type { Kind } from './kind.ts';
import { flat, foreign, joined, nested, sha256, text, timestamps, unique } from './kind-parts.ts';

type AccessKind =
  | 'consumers'
  | 'consumer_groups'
  | 'consumer_group_consumers'
  | 'keyauth_credentials'
  | 'basicauth_credentials'
  | 'hmacauth_credentials'
  | 'jwt_secrets'
  | 'oauth2_credentials'
  | 'acls'
  | 'mtls_auth_credentials'
  | 'vaults'
  | 'keys'
  | 'key_sets';

const ofConsumer = foreign('consumer', 'consumers', { required: true, onDelete: 'cascade' });

/** What credentials have in common: they belong to a consumer, are written under it, and are listed in one flat list. */
const credential = {
  edition: 'oss',
  level: 3,
  foreign: [ofConsumer],
  parent: 'consumer',
  shownAs: 'identity',
  sets: ['/tags'],
  serverMade: timestamps,
  tags: true,
} as const;

function credentialDeck(key: string): Kind['deck'] {
  return { topLevel: key, nested: [{ parent: 'consumers', key, field: 'consumer' }] };
}

function credentialPaths(under: string, list: string): Kind['admin'] {
  return nested('consumer', `consumers/{parent}/${under}`, 'put', list);
}

/** Who may pass: consumers, their groups and credentials, vaults and keys. */
export const accessKinds: { readonly [K in AccessKind]: Kind & { readonly name: K } } = {
  vaults: {
    name: 'vaults',
    singular: 'vault',
    label: 'vault',
    edition: 'oss',
    level: 1,
    foreign: [],
    parent: null,
    identity: ({ fields }) => text(fields, 'prefix'),
    shownAs: 'identity',
    idNamespace: 'vaults',
    unique: [unique('prefix')],
    secrets: ['/config/*token*', '/config/*password*', '/config/*secret*', '/config/*key*'],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'vaults', nested: [] },
    admin: flat('vaults'),
    konnect: flat('vaults'),
    dbless: 'vaults',
  },
  key_sets: {
    name: 'key_sets',
    singular: 'key_set',
    label: 'key set',
    edition: 'oss',
    level: 1,
    foreign: [],
    parent: null,
    identity: ({ fields }) => text(fields, 'name'),
    shownAs: 'identity',
    idNamespace: 'key_sets',
    unique: [unique('name')],
    secrets: [],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'key_sets', nested: [] },
    admin: flat('key-sets'),
    konnect: flat('key-sets'),
    dbless: 'key_sets',
  },
  keys: {
    name: 'keys',
    singular: 'key',
    label: 'key',
    edition: 'oss',
    level: 2,
    foreign: [foreign('set', 'key_sets', { onDelete: 'cascade' })],
    parent: 'set',
    identity: ({ fields, foreign: to }) => text(fields, 'name') ?? joined(to('set') ?? '', text(fields, 'kid')),
    shownAs: 'identity',
    idNamespace: 'keys',
    unique: [unique('name'), { fields: ['kid', 'set'], nullsClash: true }],
    secrets: ['/jwk', '/pem/private_key'],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'keys', nested: [{ parent: 'key_sets', key: 'keys', field: 'set' }] },
    admin: flat('keys', { parent: 'set', path: 'key-sets/{parent}/keys' }),
    konnect: flat('keys', { parent: 'set', path: 'key-sets/{parent}/keys' }),
    dbless: 'keys',
  },
  consumer_groups: {
    name: 'consumer_groups',
    singular: 'consumer_group',
    label: 'consumer group',
    edition: 'enterprise',
    level: 1,
    foreign: [],
    parent: null,
    identity: ({ fields }) => text(fields, 'name'),
    shownAs: 'identity',
    idNamespace: 'consumergroups',
    unique: [unique('name')],
    secrets: [],
    sets: ['/tags'],
    serverMade: timestamps,
    tags: true,
    deck: { topLevel: 'consumer_groups', nested: [] },
    admin: flat('consumer_groups'),
    konnect: flat('consumer_groups'),
    dbless: 'consumer_groups',
  },
  consumers: {
    name: 'consumers',
    singular: 'consumer',
    label: 'consumer',
    edition: 'oss',
    level: 1,
    foreign: [],
    parent: null,
    identity: ({ fields }) => text(fields, 'username') ?? text(fields, 'custom_id'),
    shownAs: 'identity',
    idNamespace: 'consumers',
    unique: [unique('username'), unique('custom_id')],
    secrets: [],
    sets: ['/tags'],
    serverMade: [...timestamps, 'type'],
    tags: true,
    deck: { topLevel: 'consumers', nested: [] },
    admin: flat('consumers'),
    konnect: flat('consumers'),
    dbless: 'consumers',
  },
  consumer_group_consumers: {
    name: 'consumer_group_consumers',
    singular: 'consumer_group_consumer',
    label: 'group membership',
    edition: 'enterprise',
    level: 3,
    foreign: [
      foreign('consumer_group', 'consumer_groups', { required: true, onDelete: 'cascade' }),
      foreign('consumer', 'consumers', { required: true, onDelete: 'cascade' }),
    ],
    parent: 'consumer_group',
    identity: ({ foreign: to }) => joined(to('consumer_group'), to('consumer')),
    shownAs: 'identity',
    idNamespace: 'consumer_group_consumers',
    unique: [unique('consumer_group', 'consumer')],
    secrets: [],
    sets: [],
    serverMade: timestamps,
    tags: false,
    deck: { topLevel: 'consumer_group_consumers', nested: [] },
    admin: nested('consumer_group', 'consumer_groups/{parent}/consumers', 'membership', null),
    konnect: nested('consumer_group', 'consumer_groups/{parent}/consumers', 'membership', null),
    dbless: 'consumer_group_consumers',
  },
  keyauth_credentials: {
    ...credential,
    name: 'keyauth_credentials',
    singular: 'keyauth_credential',
    label: 'key-auth credential',
    identity: ({ fields, foreign: to }) => {
      const key = text(fields, 'key');
      return joined(to('consumer'), key === null ? null : `sha256:${sha256(key)}`);
    },
    shownAs: 'parent-and-id',
    idNamespace: 'keyauth_credentials',
    unique: [unique('key')],
    secrets: ['/key'],
    deck: credentialDeck('keyauth_credentials'),
    admin: credentialPaths('key-auth', 'key-auths'),
    konnect: credentialPaths('key-auth', 'key-auths'),
    dbless: 'keyauth_credentials',
  },
  basicauth_credentials: {
    ...credential,
    name: 'basicauth_credentials',
    singular: 'basicauth_credential',
    label: 'basic-auth credential',
    identity: ({ fields }) => text(fields, 'username'),
    idNamespace: 'basicauth_credentials',
    unique: [unique('username')],
    secrets: ['/password'],
    deck: credentialDeck('basicauth_credentials'),
    admin: credentialPaths('basic-auth', 'basic-auths'),
    konnect: credentialPaths('basic-auth', 'basic-auths'),
    dbless: 'basicauth_credentials',
  },
  hmacauth_credentials: {
    ...credential,
    name: 'hmacauth_credentials',
    singular: 'hmacauth_credential',
    label: 'hmac-auth credential',
    identity: ({ fields }) => text(fields, 'username'),
    idNamespace: 'hmacauth_credentials',
    unique: [unique('username')],
    secrets: ['/secret'],
    deck: credentialDeck('hmacauth_credentials'),
    admin: credentialPaths('hmac-auth', 'hmac-auths'),
    konnect: credentialPaths('hmac-auth', 'hmac-auths'),
    dbless: 'hmacauth_credentials',
  },
  jwt_secrets: {
    ...credential,
    name: 'jwt_secrets',
    singular: 'jwt_secret',
    label: 'JWT credential',
    identity: ({ fields }) => text(fields, 'key'),
    idNamespace: 'jwt_secrets',
    unique: [unique('key')],
    secrets: ['/secret'],
    deck: credentialDeck('jwt_secrets'),
    admin: credentialPaths('jwt', 'jwts'),
    konnect: credentialPaths('jwt', 'jwts'),
    dbless: 'jwt_secrets',
  },
  oauth2_credentials: {
    ...credential,
    name: 'oauth2_credentials',
    singular: 'oauth2_credential',
    label: 'OAuth2 credential',
    identity: ({ fields }) => text(fields, 'client_id'),
    idNamespace: 'oauth2_credentials',
    unique: [unique('client_id')],
    secrets: ['/client_secret'],
    deck: credentialDeck('oauth2_credentials'),
    admin: credentialPaths('oauth2', 'oauth2'),
    konnect: null,
    dbless: 'oauth2_credentials',
  },
  acls: {
    ...credential,
    name: 'acls',
    singular: 'acl',
    label: 'ACL group',
    identity: ({ fields, foreign: to }) => joined(to('consumer'), text(fields, 'group')),
    idNamespace: 'acls',
    unique: [unique('consumer', 'group')],
    secrets: [],
    deck: credentialDeck('acls'),
    admin: credentialPaths('acls', 'acls'),
    konnect: credentialPaths('acls', 'acls'),
    dbless: 'acls',
  },
  mtls_auth_credentials: {
    ...credential,
    name: 'mtls_auth_credentials',
    singular: 'mtls_auth_credential',
    label: 'mTLS credential',
    edition: 'enterprise',
    foreign: [ofConsumer, foreign('ca_certificate', 'ca_certificates', { onDelete: 'cascade' })],
    identity: ({ fields, foreign: to }) => {
      const key = joined(to('consumer'), text(fields, 'subject_name'));
      const ca = to('ca_certificate');
      return key === null || ca === null ? key : `${key}/${ca}`;
    },
    idNamespace: 'mtls_auth_credentials',
    unique: [{ fields: ['subject_name', 'ca_certificate'], nullsClash: true }],
    secrets: [],
    deck: credentialDeck('mtls_auth_credentials'),
    admin: credentialPaths('mtls-auth', 'mtls-auths'),
    konnect: credentialPaths('mtls-auth', 'mtls-auths'),
    dbless: 'mtls_auth_credentials',
  },
};
