import type { FieldSchema, RecordFields, RecordSchema } from '../schema.ts';

const id: FieldSchema = { type: 'string', auto: true, uuid: true };
const time: FieldSchema = { type: 'integer', auto: true, timestamp: true };
const tags: FieldSchema = { type: 'set', elements: { type: 'string', required: true } };
const text: FieldSchema = { type: 'string' };
const requiredText: FieldSchema = { type: 'string', required: true };
const listOfTexts: FieldSchema = { type: 'array', elements: text };

function to(reference: string, required = false): FieldSchema {
  return { type: 'foreign', reference, on_delete: 'cascade', ...(required ? { required } : {}) };
}

function record(fields: RecordFields): RecordSchema {
  return { fields: { id, ...fields, created_at: time, updated_at: time }, entity_checks: [], shorthand_fields: [] };
}

/** The kinds that only Enterprise gateways and Konnect have (facts of the Enterprise Admin API's OpenAPI document). */
export const enterpriseKinds: { readonly [kind: string]: RecordSchema } = {
  consumer_groups: record({ name: { ...requiredText, unique: true }, tags }),
  consumer_group_consumers: record({ consumer: to('consumers', true), consumer_group: to('consumer_groups', true) }),
  mtls_auth_credentials: record({
    consumer: to('consumers', true),
    subject_name: requiredText,
    ca_certificate: to('ca_certificates'),
    tags,
  }),
  partials: record({
    name: { type: 'string', unique: true },
    type: requiredText,
    config: { type: 'record', abstract: true },
    tags,
  }),
  licenses: record({ payload: { ...requiredText, encrypted: true } }),
  rbac_roles: record({
    name: { ...requiredText, unique: true },
    comment: text,
    is_default: { type: 'boolean', default: false },
  }),
  rbac_users: record({
    name: { ...requiredText, unique: true },
    user_token: { ...requiredText, encrypted: true },
    user_token_ident: text,
    enabled: { type: 'boolean', default: true },
    comment: text,
  }),
  rbac_user_roles: record({ user: to('rbac_users', true), role: to('rbac_roles', true) }),
  rbac_role_entities: record({
    role: to('rbac_roles', true),
    entity_id: requiredText,
    entity_type: requiredText,
    actions: { type: 'set', required: true, elements: text },
    negative: { type: 'boolean', default: false },
    comment: text,
  }),
  rbac_role_endpoints: record({
    role: to('rbac_roles', true),
    workspace: { type: 'string', default: 'default' },
    endpoint: requiredText,
    actions: { type: 'set', required: true, elements: text },
    negative: { type: 'boolean', default: false },
    comment: text,
  }),
  degraphql_routes: record({
    service: to('services', true),
    uri: requiredText,
    query: requiredText,
    methods: { type: 'set', elements: text, default: ['GET'] },
  }),
  graphql_ratelimiting_cost_decorations: record({
    service: to('services', true),
    type_path: { ...requiredText, unique: true },
    add_constant: { type: 'number', default: 1 },
    add_arguments: { type: 'array', elements: text, default: [] },
    mul_constant: { type: 'number', default: 1 },
    mul_arguments: { type: 'array', elements: text, default: [] },
  }),
  custom_plugins: record({
    name: { ...requiredText, unique: true },
    schema: requiredText,
    handler: requiredText,
    tags,
  }),
  cloned_plugins: record({
    name: { ...requiredText, unique: true, len_max: 4096 },
    ref: requiredText,
    priority: { type: 'integer', between: [-2_147_483_648, 2_147_483_647] },
    tags,
  }),
  ai_models: record({ name: { ...requiredText, unique: true }, alias: text, tags }),
};

const phases: FieldSchema = { type: 'record', fields: { access: listOfTexts } };

/** The first version of a field that came later than 3.4, where it is known. */
interface Addition {
  readonly since: number;
  readonly fields: RecordFields;
}

/** Fields that Enterprise gateways have on kinds that open-source ones have too. */
const additions: { readonly [kind: string]: readonly Addition[] } = {
  plugins: [
    {
      since: 4,
      fields: {
        consumer_group: { ...to('consumer_groups'), default: null },
        ordering: { type: 'record', fields: { before: phases, after: phases } },
      },
    },
    {
      since: 10,
      fields: {
        partials: {
          type: 'array',
          elements: { type: 'record', fields: { id: { type: 'string' }, name: text, path: text } },
        },
      },
    },
    { since: 14, fields: { condition: { type: 'string', len_max: 1024 } } },
  ],
  services: [
    { since: 10, fields: { tls_sans: { type: 'record', fields: { dnsnames: listOfTexts, uris: listOfTexts } } } },
  ],
  upstreams: [
    {
      since: 11,
      fields: { sticky_sessions_cookie: text, sticky_sessions_cookie_path: { type: 'string', default: '/' } },
    },
  ],
  targets: [{ since: 11, fields: { failover: { type: 'boolean', default: false } } }],
  keys: [{ since: 10, fields: { x5t: text } }],
};

/** Values that Enterprise gateways take beyond those of open-source ones, by kind and field. */
const moreValues: { readonly [kind: string]: { readonly [field: string]: readonly string[] } } = {
  services: { protocol: ['ws', 'wss'] },
  routes: { protocols: ['ws', 'wss'] },
  plugins: { protocols: ['ws', 'wss'] },
  upstreams: { algorithm: ['sticky-sessions'] },
};

/**
 * An open-source kind as an Enterprise gateway of a version has it: with the fields and values that it has more of.
 * `minor` is the second number of the version.
 */
export function withEnterpriseFields(kind: string, schema: RecordSchema, minor: number): RecordSchema {
  const fields: { [name: string]: FieldSchema } = { ...schema.fields };
  for (const addition of additions[kind] ?? []) if (addition.since <= minor) Object.assign(fields, addition.fields);
  for (const [name, values] of Object.entries(moreValues[kind] ?? {})) {
    const field = fields[name];
    if (field !== undefined) fields[name] = withValues(field, values);
  }
  return { ...schema, fields };
}

function withValues(field: FieldSchema, values: readonly string[]): FieldSchema {
  if (field.elements !== undefined) {
    const subsets = field.mutually_exclusive_subsets;
    return {
      ...field,
      elements: withValues(field.elements, values),
      ...(subsets === undefined
        ? {}
        : { mutually_exclusive_subsets: [...(Array.isArray(subsets) ? subsets : []), [...values]] }),
    };
  }
  return field.one_of === undefined ? field : { ...field, one_of: [...field.one_of, ...values] };
}

/**
 * The vault types that Enterprise gateways have. What each takes differs from version to version and stands in no
 * document at hand, so their configuration is taken as it is.
 */
export const enterpriseVaults: readonly string[] = ['aws', 'azure', 'conjur', 'env', 'gcp', 'hcv', 'konnect'];

/** The schema of a vault whose configuration is not known. */
export const openVault: RecordSchema = {
  fields: { config: { type: 'map' } },
  entity_checks: [],
  shorthand_fields: [],
};
