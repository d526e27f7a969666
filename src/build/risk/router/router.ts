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
  /**
   * All that might take a request, since nothing but their age sets them apart, the one of `take` first; none where nobody
   * does, or where it cannot be told.
   */
  readonly takers: (request: SampleRequest) => readonly Taken[];
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
  const indexFor = ({ protocol }: SampleRequest) => (isStreamProtocol(protocol) ? stream : http);
  const takenBy = ({ route }: Part, request: SampleRequest): Taken => {
    const protocols = matches.get(route)?.protocols ?? [];
    const refused = !protocols.some((protocol) => requestProtocol(protocol) === request.protocol);
    return { route, service: serviceOf(route, state), refused };
  };
  return {
    matches,
    untried,
    take: (request) => {
      const found = indexFor(request).first(request, order);
      return found === null || found === undefined ? found : takenBy(found, request);
    },
    takers: (request) => {
      const found = indexFor(request).first(request, order);
      if (found === null || found === undefined) return [];
      const alike = indexFor(request).alike(found, request);
      return [found, ...alike].map((part) => takenBy(part, request));
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
    for (const list of this.#around(request)) {
      let tried = 0;
      for (const part of list) {
        if (best !== null && order(best, part) <= 0) break;
        tried += 1;
        if (tried > mostTried) return undefined;
        if (!part.takes(request)) continue;
        best = part;
        break;
      }
    }
    return best;
  }

  /** The parts of other routes that take a request as the best one does; of very many, some. */
  alike(best: Part, request: SampleRequest): readonly Part[] {
    const found = new Map<Entity, Part>();
    for (const list of this.#around(request)) {
      let tried = 0;
      for (const part of list) {
        const rank = comparePartRank(best, part);
        tried += 1;
        if (rank < 0 || tried > mostTried) break;
        if (rank === 0 && part.route !== best.route && part.takes(request)) found.set(part.route, part);
      }
    }
    return [...found.values()];
  }

  /** The parts among which those that take a request are, by the place they stand at. */
  *#around(request: SampleRequest): Generator<readonly Part[]> {
    const isStream = isStreamProtocol(request.protocol);
    const path = isStream ? (request.destination ?? '') : request.path;
    for (const place of isStream ? ['', request.sni ?? ''].map((sni) => placeText(sni, '')) : placesAround(request)) {
      const paths = this.#hosts.get(place);
      if (paths === undefined) continue;
      for (const length of this.#lengths.get(place) ?? []) {
        if (length <= path.length) yield paths.get(path.slice(0, length)) ?? [];
      }
    }
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
