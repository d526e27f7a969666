import { pathRegex } from '../../../rules/routes/regex-sample.ts';
import type { HostMatch, PathMatch, RouteMatch } from '../../../rules/routes/route-match.ts';
import { satisfied } from './comparison.ts';
import { alternativesOf, holdsFor } from './expression.ts';
import { takesHost, takesPath } from './part.ts';
import { plainRequest, requestProtocol, type SampleRequest } from './request.ts';

/** Hosts times paths of a route are tried up to so many. */
const mostPairs = 24;
/** Of each other list, so many are tried. */
const mostOfList = 9;

/**
 * Requests that a route takes unless another one takes them first: each of its hosts with each of its paths, and each of
 * its methods, headers, SNIs and protocols with the first of these. With `like`, the route as it is in the other state,
 * also requests that only one of the two may take.
 */
export function samplesOf(match: RouteMatch, like: RouteMatch | null = null): readonly SampleRequest[] {
  if (match.expression !== null) return expressionSamples(match, match.expression);
  if (match.stream) return streamSamples(match);
  const first = withRest(match, plainRequest);
  const hosts: readonly (HostMatch | null)[] = match.hosts ?? [null];
  const paths = (match.paths ?? [null]).flatMap((path) => pathSamples(path, like !== null));
  const found: SampleRequest[] = [];
  for (const host of hosts) {
    for (const path of paths) {
      if (found.length < mostPairs) found.push({ ...first, ...hostSample(host), path });
    }
  }
  const [plain] = found;
  if (plain === undefined) return [];
  const methods = match.methods ?? (like?.methods === null || like === null ? [] : commonMethods);
  for (const method of methods.slice(0, mostOfList)) found.push({ ...plain, method });
  for (const protocol of match.protocols.map(requestProtocol)) {
    if (protocol !== plain.protocol) found.push({ ...plain, protocol, sni: protocol === 'https' ? plain.sni : null });
  }
  for (const sni of (match.snis ?? []).slice(0, mostOfList)) found.push({ ...plain, protocol: 'https', sni });
  for (const [name, values] of match.headers) {
    for (const value of values.slice(0, mostOfList)) {
      const sample = headerSample(value);
      if (sample !== null) found.push({ ...plain, headers: new Map([...plain.headers, [name, sample]]) });
    }
  }
  return found;
}

const commonMethods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A request of another route that also has what a route asks for: who takes it may have changed with that route. */
export function overlaid(match: RouteMatch, request: SampleRequest): SampleRequest | null {
  if (match.expression !== null) {
    const [conjunction] = alternativesOf(match.expression) ?? [];
    return conjunction === undefined ? null : fulfilled(conjunction, request);
  }
  const path = pathFor(match, request);
  if (path === null) return null;
  const isMet = match.hosts === null || match.hosts.some((one) => takesHost(one, request));
  return { ...withRest(match, request), ...(isMet ? {} : hostSample(match.hosts?.[0] ?? null)), path };
}

/** The path of a request where a route takes it, or one that the route takes; null where none is known. */
function pathFor({ paths }: RouteMatch, { path }: SampleRequest): string | null {
  const [first] = paths ?? [];
  if (first === undefined || paths?.some((one) => takesPath(one, path)) === true) return path;
  return pathSamples(first, false)[0] ?? null;
}

function withRest(match: RouteMatch, request: SampleRequest): SampleRequest {
  const protocols = match.protocols.map(requestProtocol);
  const [sni] = match.snis ?? [];
  const protocol = sni !== undefined ? 'https' : (protocols.find((one) => one === request.protocol) ?? protocols[0]);
  const headers = [...match.headers].flatMap(([name, values]): [string, string][] => {
    const sample = headerSample(values[0] ?? '');
    return sample === null ? [] : [[name, sample]];
  });
  const isOwn = match.methods?.includes(request.method) !== false;
  return {
    ...request,
    protocol: protocol ?? request.protocol,
    sni: sni ?? request.sni,
    method: isOwn ? request.method : (match.methods?.[0] ?? request.method),
    headers: new Map([...request.headers, ...headers]),
  };
}

function hostSample(host: HostMatch | null): Pick<SampleRequest, 'host' | 'port'> {
  if (host === null) return { host: null, port: null };
  const word = host.wildcard === 'start' ? 'any' : 'com';
  return { host: host.text.replace('*', host.wildcard === 'none' ? '*' : word), port: host.port };
}

function pathSamples(path: PathMatch | null, deeper: boolean): readonly string[] {
  if (path === null) return ['/'];
  if (path.regex) {
    const regex = pathRegex(path.text.slice(1));
    return regex === null ? [] : [regex.sample];
  }
  return deeper ? [path.text, `${path.text}${path.text.endsWith('/') ? '' : '/'}any`] : [path.text];
}

function headerSample(value: string): string | null {
  return value.startsWith('~*') ? (pathRegex(value.slice(2))?.sample ?? null) : value;
}

function streamSamples(match: RouteMatch): readonly SampleRequest[] {
  const first = (list: readonly string[] | null) => list?.[0] ?? null;
  const [protocol = 'tcp'] = match.protocols;
  const plain: SampleRequest = {
    ...plainRequest,
    protocol,
    sni: first(match.snis),
    source: first(match.sources),
    destination: first(match.destinations),
  };
  return [
    ...match.protocols.slice(0, mostOfList).map((other) => ({ ...plain, protocol: other })),
    ...(match.snis ?? []).slice(1, mostOfList).map((sni) => ({ ...plain, sni })),
    ...(match.sources ?? []).slice(1, mostOfList).map((source) => ({ ...plain, source })),
    ...(match.destinations ?? []).slice(1, mostOfList).map((destination) => ({ ...plain, destination })),
  ];
}

function expressionSamples(match: RouteMatch, expression: string): readonly SampleRequest[] {
  const protocol = requestProtocol(match.protocols[0] ?? 'http');
  return (alternativesOf(expression) ?? []).flatMap((conjunction) => {
    const found = fulfilled(conjunction, { ...plainRequest, protocol });
    return found === null ? [] : [found];
  });
}

function fulfilled(conjunction: Parameters<typeof holdsFor>[0], request: SampleRequest): SampleRequest | null {
  let sample: SampleRequest | null = request;
  for (const { predicate, negated } of conjunction) {
    if (!negated && sample !== null) sample = satisfied(predicate, sample);
  }
  return sample !== null && holdsFor(conjunction)(sample) ? sample : null;
}
