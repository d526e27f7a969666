import type { Entity } from '../model/entity.ts';
import type { State } from '../model/state.ts';
import { matchKey, type RouteMatch } from '../rules/routes/route-match.ts';
import type { Schemas } from '../schema/schema.ts';
import type { Exposure } from './quarantine-exposure.ts';
import { protectionIn } from './quarantine-protection.ts';
import { plainRequest, requestKey, type SampleRequest } from './risk/router/request.ts';
import { type Router, routerOf, type Taken } from './risk/router/router.ts';
import { overlaid, samplesOf } from './risk/router/samples.ts';

/** What remains of a revision, and what it is measured by. */
export interface Measured {
  readonly before: State | null;
  /** The revision as written, broken parts included. */
  readonly written: State;
  readonly remaining: State;
  readonly router: Schemas['router'];
  /** Whether a route of the revision, and all before it, is taken as the revision has it. */
  readonly isSound: (route: Entity) => boolean;
}

/** Requests that would be let in with less than both the last good state and the revision ask of them. */
export interface ExposedRequest extends Exposure {
  /** The route that took them in the last good state; null where none did. */
  readonly before: Entity | null;
  /** The route that is to take them in the revision; null where none is. */
  readonly written: Entity | null;
}

/** So many requests of protected routes laid over what other routes ask for are tried. */
const mostOverlaid = 20_000;

/**
 * Tries sample requests of all routes, whatever their names, and finds those that a route of the remaining state takes
 * without something that was before them in the last good state and is in the revision as written too, or would be if
 * nothing of it were broken. What a broken route of the revision asks for is not known in full, so that the last good
 * state alone counts then; and the revision alone where nothing took the request before.
 */
export function exposedRequests(measured: Measured): readonly ExposedRequest[] {
  const found = new Map<string, ExposedRequest>();
  // Of two routes alike Kong prefers the older one, and a node without a database does not know which that is.
  for (const oldFirst of [true, false]) {
    for (const one of exposedWhere(oldFirst, measured)) {
      const key = [one.before, one.written, one.taker].map((route) => route?.identity ?? '').join('\n');
      if (!found.has(key)) found.set(key, one);
    }
  }
  return [...found.values()];
}

function* exposedWhere(oldFirst: boolean, measured: Measured): Generator<ExposedRequest> {
  const { written, remaining, isSound } = measured;
  const side = (state: State) => sideOf(state, measured, oldFirst);
  const then = measured.before === null ? null : side(measured.before);
  const asked = side(written);
  if ((then === null || then.isOpen) && asked.isOpen) return;
  const now = side(remaining);
  for (const request of samples(then === null ? [asked, now] : [then, asked, now])) {
    const takers = now.takers(request);
    if (takers.length === 0) continue;
    const was = then === null ? null : then.take(request);
    const wanted = asked.take(request);
    const route = (wanted !== null && !isSound(wanted.route) ? wanted.route : was?.route) ?? wanted?.route;
    if (route === undefined) continue;
    const required = requiredOf(was, wanted, isSound);
    const before = was?.route ?? null;
    for (const { route: taker, protection } of takers) {
      const missing = required.filter((name) => !protection.has(name)).sort();
      if (missing.length > 0) yield { route, taker, missing, before, written: wanted?.route ?? null };
    }
  }
}

function requiredOf(was: Guarded | null, wanted: Guarded | null, isSound: Measured['isSound']): readonly string[] {
  if (was === null) return wanted === null ? [] : [...wanted.protection];
  if (wanted === null || !isSound(wanted.route)) return [...was.protection];
  return [...was.protection].filter((name) => wanted.protection.has(name));
}

interface Guarded {
  readonly route: Entity;
  readonly protection: ReadonlySet<string>;
}

interface Side {
  readonly matches: Router['matches'];
  /** Whether nothing stands before any of its routes. */
  readonly isOpen: boolean;
  /** Who lets a request in; null where nobody does, or where that cannot be told. */
  readonly take: (request: SampleRequest) => Guarded | null;
  /** All that might, since nothing but their age sets them apart. */
  readonly takers: (request: SampleRequest) => readonly Guarded[];
}

function sideOf(state: State, { before, router }: Measured, oldFirst: boolean): Side {
  const isOld = ({ identity }: Entity) => before?.byIdentity('routes', identity) !== undefined;
  const routed = routerOf(state, router, (route) => isOld(route) === oldFirst);
  const protection = protectionIn(state);
  const known = new Map<Entity, ReadonlySet<string>>();
  for (const route of routed.matches.keys()) known.set(route, protection(route));
  const guarded = ({ route, refused }: Taken): readonly Guarded[] =>
    refused ? [] : [{ route, protection: known.get(route) ?? new Set() }];
  return {
    matches: routed.matches,
    isOpen: [...known.values()].every((names) => names.size === 0),
    take: (request) => {
      const taken = routed.take(request);
      return taken === null || taken === undefined ? null : (guarded(taken)[0] ?? null);
    },
    takers: (request) => routed.takers(request).flatMap(guarded),
  };
}

/** What each side's routes take, and that with what the routes ask for that are not on all sides. */
function samples(sides: readonly Side[]): readonly SampleRequest[] {
  const found = new Map<string, SampleRequest>();
  const add = (request: SampleRequest | null) => {
    if (request !== null) found.set(requestKey(request), request);
  };
  const firsts = new Map<string, SampleRequest>();
  const alike = new Map<string, { readonly match: RouteMatch; times: number }>();
  for (const { matches } of sides) {
    for (const [route, match] of matches) {
      const key = `${route.identity}\n${matchKey(match)}`;
      const known = alike.get(key);
      if (known !== undefined) known.times += 1;
      else alike.set(key, { match, times: 1 });
    }
  }
  for (const { match } of alike.values()) {
    const own = samplesOf(match, match);
    own.forEach(add);
    if (own[0] !== undefined) firsts.set(requestKey(own[0]), own[0]);
  }
  const overlays = [...alike.values()].filter(({ match, times }) => times !== sides.length && !match.stream);
  const all = [...firsts.values()];
  const each = Math.max(4, Math.floor(mostOverlaid / Math.max(1, overlays.length)));
  const step = Math.max(1, Math.ceil(all.length / each));
  for (const { match } of overlays.slice(0, mostOverlaid / 4)) {
    for (let at = 0; at < all.length; at += step) add(overlaid(match, all[at] ?? plainRequest));
  }
  return [...found.values()];
}
