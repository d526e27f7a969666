import { isJsonArray, isJsonObject, type JsonPath } from '../../model/json.ts';
import type { EntityCheck } from '../check.ts';
import { regexProblem, rustRegexProblem } from '../checks/regex.ts';
import type { Fault } from '../fault.ts';
import { ofText } from './names.ts';

/** The path of a URL that a gateway asks for: of RFC 3986's characters, and with whole percent triplets. */
export const urlPath = ofText(
  (text) =>
    percentProblem(text) ??
    (/^[A-Za-z0-9\-._~/%!$&'()*+,;=:@?#[\]]*$/.test(text) ? null : 'must hold only the characters of RFC 3986'),
  'Percent-encode what is not of ASCII.',
);

/**
 * The regular expressions among a route's paths and header values that routers other than the traditional one cannot
 * match with. A server finds that when it builds the route, so that it tells it of the route as a whole.
 */
export const routePatternsRun: EntityCheck = (route, isFaulty, asServer) => {
  const { paths, headers } = route;
  const hint = 'Write it without, or run Kong with router_flavor = traditional.';
  const faults: Fault[] = [];
  const add = (path: JsonPath, message: string | null) => {
    if (message !== null) faults.push({ path, code: 'format', message, hint, ofEntity: false });
  };
  if (isJsonArray(paths) && !isFaulty('paths')) {
    for (const [index, path] of paths.entries()) {
      if (typeof path === 'string' && path.startsWith('~')) add(['paths', index], rustRegexProblem(path.slice(1)));
    }
  }
  if (isJsonObject(headers) && !isFaulty('headers')) {
    for (const [name, values] of Object.entries(headers)) {
      for (const [index, value] of (isJsonArray(values) ? values : []).entries()) {
        if (typeof value !== 'string' || !value.startsWith('~*')) continue;
        const pattern = value.slice(2);
        add(['headers', name, index], regexProblem(pattern) ?? rustRegexProblem(pattern));
      }
    }
  }
  return asServer ? faults.slice(0, 1).map((fault) => ({ ...fault, path: [], ofEntity: true })) : faults;
};

/** A path that a route matches: a plain one in normal form, or a regular expression after `~`. */
export const routePath = (value: unknown): { readonly message: string; readonly hint?: string } | null => {
  if (typeof value !== 'string') return null;
  if (value.startsWith('~')) {
    const problem = regexProblem(value.slice(1));
    return problem === null ? null : { message: problem };
  }
  const percent = percentProblem(value);
  if (percent !== null) return { message: percent };
  const normal = normalPath(value);
  return normal === value
    ? null
    : { message: 'is not in normal form, and would never match', hint: `Write "${normal}".` };
};

function percentProblem(text: string): string | null {
  return /%(?![0-9a-fA-F]{2})/.test(text) ? 'has a "%" that two hexadecimal digits do not follow' : null;
}

/** Characters that stay encoded, for they mean something else when they stand alone (RFC 3986, 2.2). */
const reserved = new Set("!*'();:@&=+$,/?%#[]");

/** A path as Kong normalises that of a request: triplets decoded but for reserved characters, no dot segments. */
export function normalPath(path: string): string {
  const decoded = Buffer.from(path, 'utf8')
    .toString('latin1')
    .replace(/%([0-9a-fA-F]{2})/g, (triplet, hex: string) => {
      const char = String.fromCharCode(Number.parseInt(hex, 16));
      return reserved.has(char) ? triplet.toUpperCase() : char;
    });
  const text = Buffer.from(decoded, 'latin1').toString('utf8');
  const out: string[] = [];
  const segments = text.replace(/\/{2,}/g, '/').split('/');
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    if (segment === '..') {
      if (out.length > 1) out.pop();
      if (last) out.push('');
    } else if (segment === '.') {
      if (last) out.push('');
    } else out.push(segment);
  }
  return out.join('/');
}
