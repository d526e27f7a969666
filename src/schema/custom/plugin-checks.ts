import { isJsonArray, isJsonObject, type Json, type JsonObject, valueAt } from '../../model/json.ts';
import type { EntityCheck, ExtraChecks, FieldCheck } from '../check.ts';
import { regexProblem } from '../checks/regex.ts';
import type { Fault } from '../fault.ts';
import { luaSyntaxProblem } from '../lua/syntax.ts';
import { addressOrBlock, headerName, host, ofText, routeHost, sni } from './names.ts';
import { urlPath } from './paths.ts';
import { url, urlParts } from './urls.ts';

const periods = ['second', 'minute', 'hour', 'day', 'month', 'year'];

/** What is wrong between fields of a record, and the fields to look at. */
interface Problem {
  readonly message: string;
  readonly fields: readonly string[];
}

/** Limits over longer times are not lower than those over shorter ones. */
function limitsProblem(limits: JsonObject): Problem | null {
  let before: { readonly period: string; readonly limit: number } | null = null;
  for (const period of periods) {
    const limit = limits[period];
    if (typeof limit !== 'number') continue;
    if (before !== null && limit < before.limit) {
      const message = `must not have a lower limit per ${period} than per ${before.period}`;
      return { message, fields: [before.period, period] };
    }
    before = { period, limit };
  }
  return null;
}

function ofConfig(problem: (config: JsonObject) => Problem | null, hint = ''): EntityCheck {
  return (entity, isFaulty) => {
    const config = entity['config'];
    if (!isJsonObject(config) || isFaulty('config')) return [];
    const found = problem(config);
    return found === null ? [] : [between(['config'], found, hint)];
  };
}

/** A problem of the configuration that Kong tells of the plugin as a whole. */
function ofPlugin(problem: (config: JsonObject) => Problem | null): EntityCheck {
  return (entity, isFaulty) => {
    const config = entity['config'];
    if (!isJsonObject(config) || isFaulty('config')) return [];
    const found = problem(config);
    return found === null
      ? []
      : [{ ...between([], found, ''), basis: found.fields.map((field) => ['config', field]), ofEntity: true }];
  };
}

/** A fault as Kong tells it, of the whole record, that knows the fields it is about. */
function between(path: readonly string[], { message, fields }: Problem, hint: string): Fault {
  const basis = fields.map((field) => [...path, field]);
  return { path, code: 'custom', message, hint, ofEntity: false, basis };
}

/** Only Redis is synchronised with. */
function syncProblem(config: JsonObject): Problem | null {
  const { policy, sync_rate: rate } = config;
  if (typeof rate !== 'number' || rate <= 0 || policy === 'redis') return null;
  return { message: '"sync_rate" needs "policy" to be redis', fields: ['sync_rate', 'policy'] };
}

const limitsOfEach: EntityCheck = (entity, isFaulty) => {
  const config = entity['config'];
  const limits = isJsonObject(config) ? config['limits'] : undefined;
  if (!isJsonObject(limits) || isFaulty('config', 'limits')) return [];
  return Object.entries(limits).flatMap(([name, of]): readonly Fault[] => {
    const found = isJsonObject(of) ? limitsProblem(of) : null;
    return found === null ? [] : [between(['config', 'limits', name], found, '')];
  });
};

const grants = [
  'enable_authorization_code',
  'enable_implicit_grant',
  'enable_client_credentials',
  'enable_password_grant',
];

/** An origin: `*`, a URL, or a regular expression. */
const origin = ofText((text) => {
  if (text === '*') return null;
  if (/[^\w.:/-]/.test(text)) return regexProblem(text);
  return urlParts(text).host === undefined && !/^[\w.-]+(?::\d+)?$/.test(text)
    ? 'must be *, an origin or a regular expression'
    : null;
});

const isHeaderName = (text: string) => /^[A-Za-z0-9_-]+$/.test(text);

/** A header and its value, with a colon between. */
const headerPair = ofText((text) =>
  isHeaderName(text.split(':', 1)[0] ?? '') ? null : 'must start with a header name',
);

/** A header and its new name, with a colon between. */
const headerRename = ofText((text) =>
  text.split(':').every((name) => isHeaderName(name)) ? null : 'must be two header names with ":" between',
);

const transformedHeaders = {
  'config/add/headers/*': headerPair,
  'config/append/headers/*': headerPair,
  'config/replace/headers/*': headerPair,
  'config/rename/headers/*': headerRename,
};

function proxyProblem({ proxy_url: proxy }: JsonObject): Problem | null {
  const scheme = typeof proxy === 'string' ? urlParts(proxy).scheme : undefined;
  if (scheme === undefined || scheme === 'http') return null;
  return { message: '"proxy_url" must be a URL of scheme http', fields: ['proxy_url'] };
}

/** Anthropic's completions come without the counts that statistics are made of. */
function statisticsOf(path: readonly string[]): EntityCheck {
  return (entity, isFaulty) => {
    const llm = valueAt(entity, path);
    if (!isJsonObject(llm) || isFaulty(...path)) return [];
    const { route_type: type, logging } = llm;
    const logs = isJsonObject(logging) && logging['log_statistics'] === true;
    const provider = valueAt(llm, ['model', 'provider']);
    if (!logs || type !== 'llm/v1/completions' || provider !== 'anthropic') return [];
    const message = '"log_statistics" needs another provider or "route_type"';
    return [{ ...between(path, { message, fields: ['logging', 'route_type'] }, ''), ofEntity: true }];
  };
}

const isGiven = (value: Json | undefined) => value !== undefined && value !== null;

/** Source of a Lua function or chunk. */
const lua = ofText((text) => {
  const problem = luaSyntaxProblem(text);
  return problem === null ? null : `is no Lua: ${problem}`;
});

const serverless = Object.fromEntries(
  ['certificate', 'rewrite', 'access', 'header_filter', 'body_filter', 'log'].map((phase) => [
    `config/${phase}/*`,
    lua,
  ]),
);

const customFields = { 'config/custom_fields_by_lua/*': lua };

/** The checks of a record that says where a Redis is. */
function redis(path: string): ExtraChecks['fields'] {
  return { [`${path}/host`]: host, [`${path}/server_name`]: sni };
}

const proxied = {
  'config/http_proxy_host': host,
  'config/https_proxy_host': host,
  'config/llm/model/options/upstream_url': url,
};

/** The shared memories that a gateway has of its own; more are made in nginx's configuration only. */
const dictionaries = new Set([
  'kong',
  'kong_cluster_events',
  'kong_core_db_cache',
  'kong_core_db_cache_miss',
  'kong_db_cache',
  'kong_db_cache_miss',
  'kong_healthchecks',
  'kong_locks',
  'kong_rate_limiting_counters',
  'kong_secrets',
  'prometheus_metrics',
]);

function dictionaryProblem({ strategy, memory }: JsonObject): Problem | null {
  const name = isJsonObject(memory) ? memory['dictionary_name'] : undefined;
  if (strategy !== 'memory' || typeof name !== 'string' || dictionaries.has(name)) return null;
  return { message: '"memory.dictionary_name" is no shared memory of a gateway', fields: ['memory'] };
}

/** A tag that every trace carries has one value. */
const tagsOnce: FieldCheck = (value) => {
  const names = isJsonArray(value) ? value.map((item) => (isJsonObject(item) ? item['name'] : item)) : [];
  return new Set(names).size < names.length ? { message: 'must not name a tag twice' } : null;
};

/** What plugins check that their documents do not say, by the plugin's name. */
export const pluginChecks: { readonly [name: string]: Partial<ExtraChecks> } = {
  'rate-limiting': {
    entity: [ofConfig(limitsProblem), ofConfig(syncProblem)],
    fields: { 'config/header_name': headerName, 'config/path': urlPath, ...redis('config/redis') },
  },
  'response-ratelimiting': {
    entity: [limitsOfEach],
    fields: { 'config/header_name': headerName, ...redis('config/redis') },
  },
  acme: {
    fields: {
      'config/api_uri': url,
      'config/domains/*': routeHost,
      'config/storage_config/consul/host': host,
      'config/storage_config/vault/host': host,
      ...redis('config/storage_config/redis'),
    },
  },
  'ai-proxy': { fields: { 'config/model/options/upstream_url': url }, entity: [statisticsOf(['config'])] },
  'ai-request-transformer': { fields: proxied, entity: [statisticsOf(['config', 'llm'])] },
  'ai-response-transformer': { fields: proxied, entity: [statisticsOf(['config', 'llm'])] },
  'ldap-auth': { fields: { 'config/ldap_host': host } },
  'proxy-cache': { entity: [ofPlugin(dictionaryProblem)] },
  redirect: { fields: { 'config/location': url } },
  oauth2: {
    entity: [
      ofConfig((config) =>
        grants.some((grant) => config[grant] === true)
          ? null
          : { message: `one of these fields must be true: ${grants.join(', ')}`, fields: grants },
      ),
    ],
  },
  'request-termination': {
    fields: { 'config/trigger': headerName },
    entity: [
      ofConfig((config) => {
        const { message, content_type: type, body } = config;
        if (isGiven(message) && (isGiven(type) || isGiven(body)))
          return {
            message: '"message" must not be set beside "content_type" or "body"',
            fields: ['message', 'content_type', 'body'],
          };
        return isGiven(type) && !isGiven(body)
          ? { message: '"content_type" needs a "body"', fields: ['content_type'] }
          : null;
      }),
    ],
  },
  'key-auth': { fields: { 'config/key_names/*': headerName } },
  'ip-restriction': { fields: { 'config/allow/*': addressOrBlock, 'config/deny/*': addressOrBlock } },
  'pre-function': { fields: serverless },
  'post-function': { fields: serverless },
  'http-log': { fields: { 'config/http_endpoint': url, 'config/headers/**': headerName, ...customFields } },
  'file-log': { fields: customFields },
  syslog: { fields: customFields },
  opentelemetry: {
    fields: { 'config/traces_endpoint': url, 'config/logs_endpoint': url, 'config/headers/**': headerName },
  },
  zipkin: { fields: { 'config/http_endpoint': url, 'config/static_tags': tagsOnce } },
  'request-transformer': { fields: transformedHeaders },
  'response-transformer': { fields: transformedHeaders },
  cors: { fields: { 'config/origins/*': origin } },
  'aws-lambda': {
    entity: [ofPlugin(proxyProblem)],
    fields: {
      'config/aws_region': host,
      'config/aws_sts_endpoint_url': url,
      'config/host': host,
      'config/proxy_url': url,
    },
  },
  'tcp-log': { fields: { 'config/host': host, ...customFields } },
  'udp-log': { fields: { 'config/host': host, ...customFields } },
  statsd: { fields: { 'config/host': host } },
  datadog: { fields: { 'config/host': host } },
  loggly: { fields: { 'config/host': host, ...customFields } },
};
