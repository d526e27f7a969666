import type { Json, JsonObject } from '../../src/model/json.ts';
import { checkEntity } from '../../src/schema/entity.ts';
import { pluginSchema } from '../../src/schema/entity-schema.ts';
import type { FieldSchema, RecordFields, RecordSchema, Schemas } from '../../src/schema/schema.ts';
import { material } from './full.ts';

/** What the checks between fields ask for, where the fields alone do not tell. */
const wanted: { readonly [plugin: string]: JsonObject } = {
  acme: { account_email: 'a@acme.test', tos_accepted: true },
  redirect: { location: 'https://there.test/' },
  acl: { allow: ['readers'] },
  'ai-proxy': { route_type: 'llm/v1/chat', model: { provider: 'openai', name: 'm' }, auth: {} },
  'ai-prompt-guard': { allow_patterns: ['a'] },
  'ai-prompt-decorator': { prompts: { prepend: [{ role: 'system', content: 'c' }] } },
  // What these fields may be depends on the model's provider, the first of which asks for more than others do.
  'ai-request-transformer': {
    prompt: 'p',
    llm: { route_type: 'llm/v1/chat', model: { provider: 'openai', name: 'm' } },
  },
  'ai-response-transformer': {
    prompt: 'p',
    llm: { route_type: 'llm/v1/chat', model: { provider: 'openai', name: 'm' } },
  },
  'aws-lambda': { function_name: 'f', aws_region: 'eu-west-1' },
  'azure-functions': { functionname: 'f', appname: 'a' },
  'bot-detection': { allow: ['curl'] },
  'http-log': { http_endpoint: 'http://log.test/' },
  'ip-restriction': { allow: ['10.0.0.0/8'] },
  loggly: { key: 'k' },
  opentelemetry: { traces_endpoint: 'http://otel.test/v1/traces' },
  'pre-function': { access: ['return'] },
  'post-function': { access: ['return'] },
  'proxy-cache': { strategy: 'memory' },
  'rate-limiting': { minute: 5, policy: 'local' },
  'response-ratelimiting': { limits: { video: { minute: 5 } } },
  'request-termination': { status_code: 503 },
  session: { storage: 'cookie', secret: 'a secret of the session' },
  'standard-webhooks': { secret_v1: 'c2VjcmV0LW9mLXdlYmhvb2tz' },
  'tcp-log': { host: 'log.test', port: 5000 },
  'udp-log': { host: 'log.test', port: 5000 },
  zipkin: { http_endpoint: 'http://zipkin.test/api/v2/spans' },
  oauth2: { scopes: ['a'], mandatory_scope: true, enable_client_credentials: true },
  'file-log': { path: '/tmp/log' },
};

/** Scopes that a plugin may have, each with what it is in. */
const scopes = { service: 'orders', route: 'orders-read', consumer: 'ann', consumer_group: 'gold' } as const;

/** Scopes that a plugin may have at once. */
const together = [
  ['service', 'consumer'],
  ['route', 'consumer'],
  ['service', 'route', 'consumer'],
  ['route', 'consumer_group'],
];

/**
 * Every plugin that there are schemas of, in each scope that it takes, by itself, and in several at once. Those it could
 * not write are named.
 */
export function everyPlugin(
  schemas: Schemas,
  groups: boolean,
): { readonly plugins: readonly JsonObject[]; readonly unwritten: readonly string[] } {
  const plugins: JsonObject[] = [];
  const unwritten: string[] = [];
  for (const name of schemas.pluginNames) {
    const schema = pluginSchema(schemas, name);
    if (schema === undefined) {
      unwritten.push(name);
      continue;
    }
    const config = { ...required(schema.fields['config']?.fields ?? {}), ...wanted[name] };
    const inScopes = [[], ...Object.keys(scopes).map((field) => [field]), ...together]
      .filter((fields) => fields.every((field) => takes(schema, field, groups)))
      .map((fields) => Object.fromEntries(Object.entries(scopes).filter(([field]) => fields.includes(field))));
    const bare = { name, config };
    const isValid = checkEntity(schemas, 'plugins', bare).length === 0;
    if (!isValid) unwritten.push(name);
    else plugins.push(...inScopes.map((scope) => ({ ...bare, ...scope })));
  }
  return { plugins, unwritten };
}

function takes(schema: RecordSchema, field: string, groups: boolean): boolean {
  const scope = schema.fields[field];
  return scope !== undefined && scope.eq !== null && (groups || field !== 'consumer_group');
}

function required(fields: RecordFields): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.required === true && field.default === undefined && field.auto !== true
        ? [[name, sampleOf(name, field)]]
        : [],
    ),
  );
}

function sampleOf(name: string, field: FieldSchema): Json {
  const [first] = field.one_of ?? [];
  if (first !== undefined) return first;
  switch (field.type) {
    case 'integer':
    case 'number':
      return field.between?.[0] ?? (field.gt === undefined ? 1 : field.gt + 1);
    case 'boolean':
      return true;
    case 'array':
    case 'set':
      return field.elements === undefined ? [] : [sampleOf(name, field.elements)];
    case 'map':
      return {};
    case 'record':
      return required(field.fields ?? {});
    default:
      if (/cert/.test(name)) return material.web.cert;
      if (/key$/.test(name)) return material.web.key;
      return /ur[il]|endpoint|issuer/.test(name)
        ? 'https://a.test/'
        : /host/.test(name)
          ? 'a.test'
          : 'x'.repeat(field.len_min ?? 1);
  }
}
