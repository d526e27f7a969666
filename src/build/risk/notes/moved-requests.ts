import { describe, type Entity } from '../../../model/entity.ts';
import { matchKey, type RouteMatch } from '../../../rules/routes/route-match.ts';
import { type Compared, noteInBase, noteInHead, placeOf, removedOf } from '../compared.ts';
import type { RiskNote } from '../risk.ts';
import { plainRequest, requestInWords, requestKey, type SampleRequest } from '../router/request.ts';
import { type Router, routerOf, serviceOf, type Taken } from '../router/router.ts';
import { overlaid, samplesOf } from '../router/samples.ts';
import { countOf, listOf } from '../wording.ts';

/** A sample request, and who takes it in each state. */
export interface Moved {
  readonly request: SampleRequest;
  readonly before: Taken;
  readonly after: Taken | null;
}

/** So many requests of changed routes laid over those of others are tried. */
const mostOverlaid = 20_000;
/** More examples than this are not shown of one route and place. */
const mostExamples = 3;

/**
 * The sample requests, out of those that both states give, that the base has a route for and the head treats otherwise.
 * Where no route changed there are none, and none is tried.
 */
export function movedRequests(states: Compared): {
  readonly moved: readonly Moved[];
  readonly untried: readonly Entity[];
} {
  const { router } = states.schemas;
  const before = routerOf(states.base, router, () => true);
  const after = routerOf(states.head, router, (route) => states.inBase(route) !== undefined);
  const changed = changedRoutes(states, before, after);
  if (changed.size === 0) return { moved: [], untried: [] };
  const moved: Moved[] = [];
  for (const request of samples(states, before, after, changed)) {
    const then = before.take(request);
    if (then === null || then === undefined || then.refused) continue;
    const now = after.take(request);
    if (now === undefined || isSame(then, now, states)) continue;
    moved.push({ request, before: then, after: now });
  }
  const untried = [...after.untried].filter((route) => changed.has(route));
  return { moved, untried };
}

function isSame(then: Taken, now: Taken | null, states: Compared): boolean {
  if (now === null || now.refused) return false;
  const service = then.service === null ? null : (states.inHead(then.service) ?? undefined);
  return states.inHead(then.route) === now.route && service === now.service;
}

/** The routes of either state that are not in the other one as they are here. */
function changedRoutes(states: Compared, before: Router, after: Router): ReadonlySet<Entity> {
  const changed = new Set<Entity>();
  for (const [route, match] of before.matches) {
    const now = states.inHead(route);
    const other = now === undefined ? undefined : after.matches.get(now);
    const service = serviceOf(route, states.base);
    const isKept =
      now !== undefined &&
      other !== undefined &&
      matchKey(match) === matchKey(other) &&
      match.regexPriority === other.regexPriority &&
      match.priority === other.priority &&
      (service === null ? null : states.inHead(service)) === serviceOf(now, states.head);
    if (isKept) continue;
    changed.add(route);
    if (now !== undefined) changed.add(now);
  }
  for (const route of after.matches.keys()) {
    const then = states.inBase(route);
    if (then === undefined || !before.matches.has(then)) changed.add(route);
  }
  return changed;
}

function samples(
  states: Compared,
  before: Router,
  after: Router,
  changed: ReadonlySet<Entity>,
): readonly SampleRequest[] {
  const found = new Map<string, SampleRequest>();
  const add = (request: SampleRequest | null) => {
    if (request !== null) found.set(requestKey(request), request);
  };
  const firsts: SampleRequest[] = [];
  for (const [route, match] of before.matches) {
    const now = states.inHead(route);
    const other = now === undefined ? undefined : after.matches.get(now);
    const own = samplesOf(match, changed.has(route) ? (other ?? match) : null);
    if (own[0] !== undefined) firsts.push(own[0]);
    own.forEach(add);
  }
  const overlays: RouteMatch[] = [];
  for (const [route, match] of after.matches) {
    if (!changed.has(route)) continue;
    const then = states.inBase(route);
    const other = then === undefined ? undefined : before.matches.get(then);
    samplesOf(match, other ?? match).forEach(add);
    if (!match.stream) overlays.push(match);
  }
  const each = Math.max(4, Math.floor(mostOverlaid / Math.max(1, overlays.length)));
  const step = Math.max(1, Math.ceil(firsts.length / each));
  for (const match of overlays.slice(0, mostOverlaid / 4)) {
    for (let at = 0; at < firsts.length; at += step) add(overlaid(match, firsts[at] ?? plainRequest));
  }
  return [...found.values()];
}

/** Notes about routes whose sample requests end up elsewhere, or nowhere. */
export function movedRequestNotes(
  { moved, untried }: ReturnType<typeof movedRequests>,
  states: Compared,
): readonly RiskNote[] {
  const groups = new Map<Entity, Moved[]>();
  for (const one of moved) {
    const list = groups.get(one.before.route);
    if (list === undefined) groups.set(one.before.route, [one]);
    else list.push(one);
  }
  const gone = new Set(removedOf('routes', states));
  const removed: [Entity, readonly Moved[]][] = [];
  const notes = [...groups].flatMap(([route, list]) => {
    const lost = list.filter(({ after }) => after === null || after.refused);
    const others = list.filter(({ after }) => after !== null && !after.refused);
    if (gone.has(route) && lost.length > 0) removed.push([route, lost]);
    return [
      ...(lost.length === 0 || gone.has(route) ? [] : [lostNote(route, lost, states)]),
      ...(others.length === 0 ? [] : [otherNote(route, others, gone.has(route), states)]),
    ];
  });
  const silent = untried.map((route) =>
    noteInHead(
      'route-not-tried',
      'notice',
      `What the ${describe(route)} takes could not be tried: it matches in a way that is not understood here.`,
      [placeOf(route)],
    ),
  );
  return [...removedNotes(removed), ...notes, ...silent];
}

function lostNote(route: Entity, lost: readonly Moved[], states: Compared): RiskNote {
  const message = `The ${describe(route)} no longer takes requests that it took, and nothing else does: ${lostExamples(lost)}.`;
  return noteInHead('route-unmatched', 'danger', message, [placeOf(states.inHead(route))]);
}

function lostExamples(lost: readonly Moved[]): string {
  return examplesOf(lost, ({ after }) => (after === null ? 'no route' : `426, by ${takenInWords(after)}`));
}

/** One note about all routes that are removed without another one for their requests. */
function removedNotes(removed: readonly (readonly [Entity, readonly Moved[]])[]): readonly RiskNote[] {
  const [first] = removed;
  if (first === undefined) return [];
  const sorted = [...removed].sort(([a], [b]) => (a.identity < b.identity ? -1 : 1));
  const each = sorted.map(
    ([route, [one]]) => `"${route.name}"${one === undefined ? '' : ` (${requestInWords(one.request)})`}`,
  );
  const message =
    removed.length === 1
      ? `The ${describe(first[0])} is removed, and nothing takes its requests: ${lostExamples(first[1])}.`
      : `${countOf(removed.length, 'route is', 'routes are')} removed, and nothing takes their requests: ${listOf(each, 5)}.`;
  return [
    noteInBase(
      'route-removed',
      'warning',
      message,
      sorted.map(([route]) => placeOf(route)),
    ),
  ];
}

function otherNote(route: Entity, others: readonly Moved[], isGone: boolean, states: Compared): RiskNote {
  const sameService = others.every(({ before, after }) => {
    const service = before.service === null ? null : states.inHead(before.service);
    return service === after?.service;
  });
  const examples = examplesOf(others, ({ after }) => (after === null ? 'no route' : takenInWords(after)));
  return noteInHead(
    'route-moved',
    sameService ? 'notice' : 'warning',
    `Requests that the ${describe(route)} took go elsewhere${isGone ? ', since it is removed' : ''}: ${examples}.`,
    others.map(({ after }) => placeOf(after?.route)),
  );
}

/** `GET a.test/x and GET a.test/y: route "a" → no route`, for each pair of takers. */
function examplesOf(list: readonly Moved[], after: (one: Moved) => string): string {
  const groups = new Map<string, string[]>();
  for (const one of list) {
    const change = `${takenInWords(one.before)} → ${after(one)}`;
    const requests = groups.get(change);
    if (requests === undefined) groups.set(change, [requestInWords(one.request)]);
    else requests.push(requestInWords(one.request));
  }
  const shown = [...groups].map(([change, requests]) => `${listOf(requests, mostExamples)}: ${change}`);
  const rest = shown.length - mostExamples;
  return rest > 0 ? `${shown.slice(0, mostExamples).join('; ')}; and ${countOf(rest, 'more place')}` : shown.join('; ');
}

function takenInWords({ route, service }: Taken): string {
  return `route "${route.name}"${service === null ? ' (no service)' : ` (service "${service.name}")`}`;
}
