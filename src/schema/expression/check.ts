import { isIP } from 'node:net';
import { isJsonArray, type JsonObject } from '../../model/json.ts';
import { nearestWord } from '../../model/suggest.ts';
import type { EntityCheck } from '../check.ts';
import { regexProblem, rustRegexProblem } from '../checks/regex.ts';
import type { Fault } from '../fault.ts';
import { ExpressionError } from './lexer.ts';
import { expressionPredicates, type Predicate } from './parse.ts';

type FieldType = 'text' | 'number' | 'address';

const common: { readonly [field: string]: FieldType } = {
  'net.protocol': 'text',
  'tls.sni': 'text',
  'net.src.port': 'number',
  'net.dst.port': 'number',
  'net.src.ip': 'address',
  'net.dst.ip': 'address',
};

/** The old name of `net.dst.port`, which Kong still reads. */
const old: { readonly [field: string]: FieldType } = { 'net.port': 'number' };

const http: { readonly [field: string]: FieldType } = {
  ...common,
  ...old,
  'http.method': 'text',
  'http.host': 'text',
  'http.path': 'text',
  'http.path.segments.len': 'number',
};

const httpPrefixes = ['http.headers.', 'http.queries.'];
const segments = 'http.path.segments.';
/** One segment by its number, or a range of them. */
const segment = /^(?:0|[1-9]\d*)(?:_[1-9]\d*)?$/;

/**
 * A route's expression can be read, compares fields that the router has for the route's protocols, and each with a
 * value of its type (the language's reference; atc-router's checks).
 */
export const routeExpression: EntityCheck = (route, isFaulty) => {
  const { expression } = route;
  if (typeof expression !== 'string' || isFaulty('expression') || isFaulty('protocols')) return [];
  const problem = expressionProblem(expression, isStream(route));
  if (problem === null) return [];
  const { message, hint } = problem;
  return [
    { path: [], code: 'custom', message: `"expression" ${message}`, hint, ofEntity: true, basis: [['expression']] },
  ];
};

function isStream({ protocols }: JsonObject): boolean {
  const ofStreams = ['tcp', 'udp', 'tls', 'tls_passthrough'];
  return isJsonArray(protocols) && protocols.some((protocol) => ofStreams.includes(String(protocol)));
}

type Problem = Pick<Fault, 'message' | 'hint'>;

/** What is wrong with an expression, or null. `stream` says that the route is of TCP, UDP or TLS. */
export function expressionProblem(expression: string, stream: boolean): Problem | null {
  let predicates: readonly Predicate[];
  try {
    predicates = expressionPredicates(expression);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { message: `cannot be read: ${error.message}`, hint: '' };
  }
  for (const predicate of predicates) {
    const problem = predicateProblem(predicate, stream);
    if (problem !== null) return problem;
  }
  return null;
}

function predicateProblem(predicate: Predicate, stream: boolean): Problem | null {
  const type = fieldType(predicate.field, stream);
  if (type === null) return unknownField(predicate.field, stream);
  const unknown = predicate.functions.find((name) => name !== 'lower' && name !== 'any');
  if (unknown !== undefined)
    return { message: `calls "${unknown}", which there is not`, hint: 'There are lower and any.' };
  if (type !== 'text' && predicate.functions.includes('lower')) {
    return { message: `uses lower with "${predicate.field}", which is no text`, hint: '' };
  }
  const message = comparisonProblem(predicate, type);
  return message === null ? null : { message, hint: '' };
}

function fieldType(field: string, stream: boolean): FieldType | null {
  const known = stream ? common : http;
  if (Object.hasOwn(known, field)) return known[field] ?? null;
  if (stream) return null;
  if (field.startsWith(segments)) return segment.test(field.slice(segments.length)) ? 'text' : null;
  return httpPrefixes.some((prefix) => field.startsWith(prefix) && field.length > prefix.length) ? 'text' : null;
}

function unknownField(field: string, stream: boolean): Problem {
  if (stream && fieldType(field, false) !== null) {
    return { message: `compares "${field}", which routes of TCP, UDP and TLS do not have`, hint: '' };
  }
  const near = nearestWord(field, Object.keys(stream ? common : http));
  return {
    message: `compares "${field}", which is no field of the router`,
    hint: near === undefined ? '' : `Did you mean "${near}"?`,
  };
}

function comparisonProblem({ field, operator, value }: Predicate, type: FieldType): string | null {
  const compared = `compares "${field}" by "${operator}"`;
  if (value.type === 'address' && isIP(value.text) === 0) return `compares "${field}" with what is no address`;
  if (operator === 'in' || operator === 'not in') {
    if (type !== 'address') return `${compared}, which only addresses can be`;
    return value.type === 'block' ? null : `${compared}, which needs a block of addresses such as 10.0.0.0/8`;
  }
  if (operator === '~') {
    if (type !== 'text') return `${compared}, which only texts can be`;
    if (value.type !== 'text') return `${compared}, which needs a text in quotes`;
    const problem = regexProblem(value.text) ?? rustRegexProblem(value.text);
    return problem === null ? null : `compares "${field}" with a regular expression that ${problem}`;
  }
  const wanted = { text: 'a text in quotes', number: 'a number', address: 'an address' }[type];
  if (value.type !== type) return `${compared} with something else than ${wanted}`;
  if (['^=', '=^', 'contains'].includes(operator) && type !== 'text') return `${compared}, which only texts can be`;
  if (['>', '>=', '<', '<='].includes(operator) && type !== 'number') return `${compared}, which only numbers can be`;
  return null;
}
