import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import type { EntityCheck, ExtraChecks } from '../check.ts';
import { regexProblem } from '../checks/regex.ts';
import type { Fault } from '../fault.ts';
import { luaSyntaxProblem } from '../lua/syntax.ts';
import { addressOrBlock, headerName, host, ofText } from './names.ts';
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
      const message = `the limit per ${period} must not be lower than the one per ${before.period}`;
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

const proxyUrl = ofText((text) => (urlParts(text).scheme === 'http' ? null : 'must be a URL of scheme http'));

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

/** What plugins check that their documents do not say, by the plugin's name. */
export const pluginChecks: { readonly [name: string]: Partial<ExtraChecks> } = {
  'rate-limiting': {
    entity: [ofConfig(limitsProblem), ofConfig(syncProblem)],
    fields: { 'config/header_name': headerName },
  },
  'response-ratelimiting': { entity: [limitsOfEach], fields: { 'config/header_name': headerName } },
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
  zipkin: { fields: { 'config/http_endpoint': url } },
  'request-transformer': { fields: transformedHeaders },
  'response-transformer': { fields: transformedHeaders },
  cors: { fields: { 'config/origins/*': origin } },
  'aws-lambda': { fields: { 'config/proxy_url': proxyUrl } },
  'tcp-log': { fields: { 'config/host': host, ...customFields } },
  'udp-log': { fields: { 'config/host': host, ...customFields } },
  statsd: { fields: { 'config/host': host } },
  datadog: { fields: { 'config/host': host } },
  loggly: { fields: { 'config/host': host, ...customFields } },
};
