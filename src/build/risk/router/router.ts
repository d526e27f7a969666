import type { Entity } from '../../../model/entity.ts';
import { referenceOf } from '../../../model/entity.ts';
import type { State } from '../../../model/state.ts';
import { isEnabled } from '../../../rules/fields.ts';
import { type RouteMatch, routeMatch } from '../../../rules/routes/route-match.ts';
import type { Schemas } from '../../../schema/schema.ts';
import { alternativesOf, type Conjunction, holdsFor } from './expression.ts';
import { comparePartRank, type Part, plainParts } from './part.ts';
import { isStreamProtocol, requestProtocol, type SampleRequest } from './request.ts';

/** Who takes a request. */
export interface Taken {
  readonly route: Entity;
  readonly service: Entity | null;
  /** Whether the route is for another protocol, so that Kong answers 426 instead. */
  readonly refused: boolean;
}

/** Routes as Kong's router has them, to try requests with. */
export interface Router {
  /** Who takes a request; null where nobody does, undefined where it cannot be told. */
  readonly take: (request: SampleRequest) => Taken | null | undefined;
  /** What each route in use matches. */
  readonly matches: ReadonlyMap<Entity, RouteMatch>;
  /** The routes whose requests cannot be tried. */
  readonly untried: ReadonlySet<Entity>;
}

/** So many routes that stand at one place are tried for a request. */
const mostTried = 2000;

/**
 * The router of a state. Of two routes that nothing sets apart, the one that was there before comes first (`isOld`), as
 * Kong prefers the older one, then the one with the lesser identity. Routes of services that are switched off are not
 * in it.
 */
export function routerOf(state: State, router: Schemas['router'], isOld: (route: Entity) => boolean): Router {
  const matches = new Map<Entity, RouteMatch>();
  const untried = new Set<Entity>();
  const http = new PartIndex();
  const stream = new PartIndex();
  for (const route of state.entities.get('routes') ?? []) {
    const service = serviceOf(route, state);
    if (service !== null && !isEnabled(service)) continue;
    const match = routeMatch(route);
    matches.set(route, match);
    const parts = match.expression === null ? plainParts(match, router) : expressionParts(match, match.expression);
    if (parts === null) untried.add(route);
    for (const part of parts ?? []) (match.stream ? stream : http).add(part);
  }
  const order = (a: Part, b: Part) =>
    comparePartRank(a, b) || Number(isOld(b.route)) - Number(isOld(a.route)) || compareText(a.route, b.route);
  http.sort(order);
  stream.sort(order);
  return {
    matches,
    untried,
    take: (request) => {
      const found = (isStreamProtocol(request.protocol) ? stream : http).first(request, order);
      if (found === null || found === undefined) return found;
      const { route } = found;
      const protocols = matches.get(route)?.protocols ?? [];
      const refused = !protocols.some((protocol) => requestProtocol(protocol) === request.protocol);
      return { route, service: serviceOf(route, state), refused };
    },
  };
}

/** The service of a route, where it has one. */
export function serviceOf(route: Entity, state: State): Entity | null {
  const reference = referenceOf(route, 'service');
  if (reference === undefined) return null;
  const byId = reference.id === null ? undefined : state.byId('services', reference.id);
  return byId ?? state.byIdentity('services', reference.identity) ?? null;
}

/** An expression comes before all routes that match by fields; of two, the one with the higher priority. */
function expressionParts(match: RouteMatch, expression: string): readonly Part[] | null {
  const alternatives = alternativesOf(expression);
  if (alternatives === null) return null;
  const rank = [Number.POSITIVE_INFINITY, match.priority];
  return alternatives.map((conjunction) => ({
    route: match.route,
    header: '',
    host: match.stream ? '' : fixed(conjunction, 'http.host', ['==']),
    prefix: match.stream ? '' : fixed(conjunction, 'http.path', ['==', '^=']),
    rank,
    takes: holdsFor(conjunction),
  }));
}

function fixed(conjunction: Conjunction, field: string, operators: readonly string[]): string {
  const found = conjunction.find(
    ({ predicate, negated }) =>
      !negated &&
      predicate.field === field &&
      predicate.functions.length === 0 &&
      operators.includes(predicate.operator),
  );
  return found?.predicate.value.text ?? '';
}

/** Parts by host and header, and by what their paths begin with, so that a request meets few of many. */
class PartIndex {
  readonly #hosts = new Map<string, Map<string, Part[]>>();
  readonly #lengths = new Map<string, readonly number[]>();

  add(part: Part): void {
    const place = placeText(part.host, part.header);
    const paths = this.#hosts.get(place) ?? new Map<string, Part[]>();
    this.#hosts.set(place, paths);
    const list = paths.get(part.prefix);
    if (list === undefined) paths.set(part.prefix, [part]);
    else list.push(part);
  }

  sort(order: (a: Part, b: Part) => number): void {
    for (const [host, paths] of this.#hosts) {
      for (const list of paths.values()) list.sort(order);
      this.#lengths.set(host, [...new Set([...paths.keys()].map((prefix) => prefix.length))]);
    }
  }

  /** The first part that takes a request; undefined where too many would have to be tried. */
  first(request: SampleRequest, order: (a: Part, b: Part) => number): Part | null | undefined {
    let best: Part | null = null;
    const isStream = isStreamProtocol(request.protocol);
    const path = isStream ? (request.destination ?? '') : request.path;
    for (const place of isStream ? ['', request.sni ?? ''].map((sni) => placeText(sni, '')) : placesAround(request)) {
      const paths = this.#hosts.get(place);
      if (paths === undefined) continue;
      for (const length of this.#lengths.get(place) ?? []) {
        if (length > path.length) continue;
        let tried = 0;
        for (const part of paths.get(path.slice(0, length)) ?? []) {
          if (best !== null && order(best, part) <= 0) break;
          tried += 1;
          if (tried > mostTried) return undefined;
          if (!part.takes(request)) continue;
          best = part;
          break;
        }
      }
    }
    return best;
  }
}

function placeText(host: string, header: string): string {
  return header === '' ? host : `${host}\n${header}`;
}

/** The places at which a part that takes a request may stand: its hosts, without a header and with each of its own. */
function placesAround({ host, headers }: SampleRequest): readonly string[] {
  const hosts = hostsAround(host);
  return [
    hosts,
    ...[...headers].map(([name, value]) => hosts.map((one) => placeText(one, `${name}: ${value}`))),
  ].flat();
}

/** The hosts under which a part that takes this one may stand: itself, wildcards around it, and none. */
function hostsAround(host: string | null): readonly string[] {
  if (host === null) return [''];
  const around = ['', host, '*'];
  const labels = host.split('.');
  for (let count = 1; count < labels.length; count += 1) {
    around.push(`*.${labels.slice(count).join('.')}`, `${labels.slice(0, -count).join('.')}.*`);
  }
  return [...new Set(around)];
}

function compareText(a: Entity, b: Entity): number {
  return a.identity < b.identity ? -1 : a.identity > b.identity ? 1 : 0;
}
