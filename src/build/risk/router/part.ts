import type { Entity } from '../../../model/entity.ts';
import { comparePrecedence, type Precedence, precedence } from '../../../rules/routes/precedence.ts';
import { pathRegex } from '../../../rules/routes/regex-sample.ts';
import { type HostMatch, isOpen, type PathMatch, type RouteMatch } from '../../../rules/routes/route-match.ts';
import type { Schemas } from '../../../schema/schema.ts';
import { isStreamProtocol, type SampleRequest } from './request.ts';

/** One way in which a route takes requests. */
export interface Part {
  readonly route: Entity;
  /** The host it is found under (a wildcard as written, the SNI of a stream); empty for any. */
  readonly host: string;
  /** A header that each request of it has, as `name: value`; empty where it asks for none, or for one of several. */
  readonly header: string;
  /** What every path that it takes starts with. */
  readonly prefix: string;
  readonly rank: Precedence;
  readonly takes: (request: SampleRequest) => boolean;
}

/** A route with more hosts times paths than this is looked at path by path. */
const mostPairs = 1024;

/** The parts of a route that matches by hosts, paths and the like; null where one of them cannot be tried. */
export function plainParts(match: RouteMatch, router: Schemas['router']): readonly Part[] | null {
  if (match.stream) return streamParts(match);
  if (isOpen(match)) return [];
  const { route } = match;
  const rest = restOf(match);
  const hosts: readonly (HostMatch | null)[] = match.hosts ?? [null];
  const paths: readonly (PathMatch | null)[] = match.paths ?? [null];
  const parts: Part[] = [];
  for (const path of paths) {
    const takesPath = path === null ? () => true : pathTest(path);
    if (takesPath === null) return null;
    const common = { route, header: headerOf(match), prefix: path?.prefix ?? '', rank: rankOf(match, path, router) };
    const together = hosts.length * paths.length > mostPairs;
    for (const group of together ? [hosts] : hosts.map((host) => [host])) {
      parts.push({
        ...common,
        host: together ? '' : (group[0]?.text ?? ''),
        takes: (request) =>
          takesPath(request.path) && group.some((host) => host === null || takesHost(host, request)) && rest(request),
      });
    }
  }
  return parts;
}

/** The traditional router looks at a regular expression before it counts headers; the others after. */
function rankOf(match: RouteMatch, path: PathMatch | null, router: Schemas['router']): Precedence {
  const [kinds = 0, plain = 0, headers = 0, regex = 0, ...others] = precedence(match, path);
  return router === 'traditional'
    ? [kinds, plain, regex, headers, ...others]
    : [kinds, plain, headers, regex, ...others];
}

function streamParts(match: RouteMatch): readonly Part[] {
  const { snis, sources, destinations } = match;
  const kinds = [snis, sources, destinations].filter((part) => part !== null).length;
  return (snis ?? [null]).flatMap((sni) =>
    (destinations ?? [null]).map((destination) => ({
      route: match.route,
      host: sni ?? '',
      header: '',
      prefix: destination ?? '',
      rank: [kinds, snis === null ? 0 : 1],
      takes: (request: SampleRequest) =>
        isStreamProtocol(request.protocol) &&
        match.protocols.includes(request.protocol) &&
        (sni === null || sni === request.sni) &&
        (destination === null || destination === request.destination) &&
        has(sources, request.source),
    })),
  );
}

function restOf(match: RouteMatch): (request: SampleRequest) => boolean {
  const headers = [...match.headers].map(([name, values]) => {
    // One value that begins so is a regular expression.
    const [only = ''] = values;
    const pattern = values.length === 1 && only.startsWith('~*') ? pathRegex(only.slice(2)) : null;
    return (request: SampleRequest) => {
      const value = request.headers.get(name);
      return value !== undefined && (values.includes(value) || pattern?.test.test(value) === true);
    };
  });
  return (request) =>
    !isStreamProtocol(request.protocol) &&
    has(match.methods, request.method) &&
    // Without TLS there is no name to compare, and the router does not ask for one.
    (request.protocol !== 'https' || has(match.snis, request.sni)) &&
    headers.every((test) => test(request));
}

function headerOf({ headers }: RouteMatch): string {
  const fixed = [...headers].find(([, values]) => values.length === 1 && values[0]?.startsWith('~*') === false);
  return fixed === undefined ? '' : `${fixed[0]}: ${fixed[1][0]}`;
}

function has(list: readonly string[] | null, value: string | null): boolean {
  return list === null || (value !== null && list.includes(value));
}

/** Whether a host of a route takes a request. */
export function takesHost(wanted: HostMatch, { host, port }: SampleRequest): boolean {
  if (host === null || (wanted.port !== null && wanted.port !== port)) return false;
  switch (wanted.wildcard) {
    case 'none':
      return wanted.text === host;
    case 'start':
      return host.endsWith(wanted.text.slice(1));
    case 'end':
      return host.startsWith(wanted.text.slice(0, -1));
  }
}

function pathTest(path: PathMatch): ((path: string) => boolean) | null {
  if (!path.regex) return (asked) => asked.startsWith(path.text);
  const regex = pathRegex(path.text.slice(1));
  return regex === null ? null : (asked) => regex.test.test(asked);
}

/** Whether a path of a route takes another one; false where that cannot be tried. */
export function takesPath(wanted: PathMatch, path: string): boolean {
  return pathTest(wanted)?.(path) === true;
}

/** Below zero where a part is tried before another one for sure, above where after, zero where neither is sure. */
export function comparePartRank(a: Part, b: Part): number {
  return comparePrecedence(a.rank, b.rank);
}
