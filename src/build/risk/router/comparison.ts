import { pathRegex } from '../../../rules/routes/regex-sample.ts';
import type { Predicate } from '../../../schema/expression/parse.ts';
import { headerName, type SampleRequest } from './request.ts';

/** Whether a comparison of the router's language holds for a request. */
export function comparison(predicate: Predicate): (request: SampleRequest) => boolean {
  const { operator, value } = predicate;
  const fact = factOf(predicate);
  const test = isReadable(predicate) ? operatorTest(operator, value.text) : null;
  if (test === null) return (request) => request.facts.has(fact);
  return (request) => {
    const read = readFrom(predicate.field, request);
    // What a request does not have compares with nothing.
    return read !== null && test(withFunctions(read, predicate.functions));
  };
}

/** A request for which a comparison holds, as like the given one as can be; null where none can be made. */
export function satisfied(predicate: Predicate, request: SampleRequest): SampleRequest | null {
  const { field, operator, value } = predicate;
  const fact = { ...request, facts: new Set([...request.facts, factOf(predicate)]) };
  if (!isReadable(predicate)) return fact;
  const wanted = exampleFor(operator, value.text);
  if (wanted === null) return operator === '!=' ? request : fact;
  return withValue(field, wanted, request);
}

function factOf({ field, functions, operator, value }: Predicate): string {
  return `${functions.map((name) => `${name}(`).join('')}${field}${')'.repeat(functions.length)} ${operator} ${value.text}`;
}

/** Whether the field is one that sample requests have, read in a way that is understood. */
function isReadable({ field, functions }: Predicate): boolean {
  const known = ['http.host', 'http.path', 'http.method', 'tls.sni', 'net.protocol', 'net.port', 'net.dst.port'];
  return (
    (known.includes(field) || headerName(field) !== null) &&
    functions.every((name) => ['any', 'lower', 'upper'].includes(name))
  );
}

function readFrom(field: string, request: SampleRequest): string | null {
  switch (field) {
    case 'http.host':
      return request.host ?? 'other.invalid';
    case 'http.path':
      return request.path;
    case 'http.method':
      return request.method;
    case 'tls.sni':
      return request.sni;
    case 'net.protocol':
      return request.protocol;
    case 'net.port':
    case 'net.dst.port':
      return request.port;
    default:
      return request.headers.get(headerName(field) ?? '') ?? null;
  }
}

function withValue(field: string, value: string, request: SampleRequest): SampleRequest {
  switch (field) {
    case 'http.host':
      return { ...request, host: value };
    case 'http.path':
      return { ...request, path: value };
    case 'http.method':
      return { ...request, method: value };
    case 'tls.sni':
      return { ...request, sni: value, protocol: request.protocol === 'http' ? 'https' : request.protocol };
    case 'net.protocol':
      return { ...request, protocol: value };
    case 'net.port':
    case 'net.dst.port':
      return { ...request, port: value };
    default:
      return { ...request, headers: new Map([...request.headers, [headerName(field) ?? '', value]]) };
  }
}

function withFunctions(value: string, functions: readonly string[]): string {
  if (functions.includes('lower')) return value.toLowerCase();
  return functions.includes('upper') ? value.toUpperCase() : value;
}

function operatorTest(operator: string, wanted: string): ((value: string) => boolean) | null {
  switch (operator) {
    case '==':
      return (value) => value === wanted;
    case '!=':
      return (value) => value !== wanted;
    case '^=':
      return (value) => value.startsWith(wanted);
    case '=^':
      return (value) => value.endsWith(wanted);
    case 'contains':
      return (value) => value.includes(wanted);
    case '~': {
      const regex = wanted.startsWith('^') ? pathRegex(wanted) : null;
      return regex === null ? null : (value) => regex.test.test(value);
    }
    default:
      return null;
  }
}

function exampleFor(operator: string, wanted: string): string | null {
  switch (operator) {
    case '==':
    case '^=':
    case 'contains':
      return wanted;
    case '=^':
      return wanted.startsWith('/') ? wanted : `x${wanted}`;
    case '~':
      return wanted.startsWith('^') ? (pathRegex(wanted)?.sample ?? null) : null;
    default:
      return null;
  }
}
