import type { Entity } from '../../model/entity.ts';
import type { RuleContext } from '../rule.ts';
import { coversHost, coversPath, coversRest } from './coverage.ts';
import { comparePrecedence, type Precedence, precedence } from './precedence.ts';
import { type HostMatch, isOpen, type PathMatch, type RouteMatch, routeMatch } from './route-match.ts';

/** One host and one path of a route, which a request meets together. */
interface Part {
  readonly match: RouteMatch;
  readonly host: HostMatch | null;
  readonly path: PathMatch | null;
  readonly precedence: Precedence;
}

/** More parts than this are not looked at one by one: the route is then taken for reachable. */
const maxParts = 64;
/** How many routes that stand at one place are tried, so that a thousand that differ elsewhere cost no square of it. */
const maxTried = 32;

/** All routes of a state with what they match, made once a run. */
export function routeMatches(context: RuleContext): ReadonlyMap<Entity, RouteMatch> {
  return context.memo(
    'route matches',
    () => new Map((context.state.entities.get('routes') ?? []).map((route) => [route, routeMatch(route)])),
  );
}

/** What one route matches. */
export function matchOf(route: Entity, context: RuleContext): RouteMatch {
  return routeMatches(context).get(route) ?? routeMatch(route);
}

/**
 * The route that is tried before another one for all that it matches (the first, of several that share the work), or
 * null where something reaches it.
 */
export function winnerOver(match: RouteMatch, context: RuleContext): RouteMatch | null {
  if (match.stream || match.expression !== null || isOpen(match)) return null;
  const index = context.memo('route parts', () => partIndex(routeMatches(context).values()));
  let first: RouteMatch | null = null;
  const parts = partsOf(match);
  if (parts === null) return null;
  for (const part of parts) {
    const winner = winnerOf(part, index);
    if (winner === null) return null;
    first ??= winner;
  }
  return first;
}

/** Parts by host and by where their paths begin. */
type PartIndex = ReadonlyMap<string, readonly Part[]>;

function partIndex(matches: Iterable<RouteMatch>): PartIndex {
  const index = new Map<string, Part[]>();
  for (const match of matches) {
    if (match.stream || match.expression !== null || isOpen(match)) continue;
    for (const part of partsOf(match) ?? []) {
      // What takes neither all paths below a prefix nor just the same expression wins over nothing for sure.
      const key = partKey(part.host?.text ?? '', placeOf(part.path));
      const known = index.get(key);
      if (known === undefined) index.set(key, [part]);
      else known.push(part);
    }
  }
  return index;
}

function partsOf(match: RouteMatch): readonly Part[] | null {
  const hosts = match.hosts ?? [null];
  const paths = match.paths ?? [null];
  if (hosts.length * paths.length > maxParts) return null;
  return hosts.flatMap((host) => paths.map((path) => ({ match, host, path, precedence: precedence(match, path) })));
}

function placeOf(path: PathMatch | null): string {
  if (path === null) return '';
  return path.wholePrefix ? `prefix ${path.prefix}` : path.text;
}

function partKey(host: string, path: string): string {
  return `${host}\n${path}`;
}

function winnerOf(part: Part, index: PartIndex): RouteMatch | null {
  for (const host of hostsAround(part.host)) {
    for (const path of pathsAround(part.path)) {
      let tried = 0;
      for (const candidate of index.get(partKey(host, path)) ?? []) {
        if (candidate.match === part.match) continue;
        tried += 1;
        if (tried > maxTried) break;
        if (wins(candidate, part)) return candidate.match;
      }
    }
  }
  return null;
}

function wins(candidate: Part, part: Part): boolean {
  if (comparePrecedence(candidate.precedence, part.precedence) >= 0) return false;
  if (candidate.host !== null && (part.host === null || !coversHost(candidate.host, part.host))) return false;
  if (candidate.path !== null && (part.path === null || !coversPath(candidate.path, part.path))) return false;
  return coversRest(candidate.match, part.match);
}

/** The hosts under which a part that takes this one's may stand: itself, wildcards around it, and none. */
function hostsAround(host: HostMatch | null): readonly string[] {
  if (host === null) return [''];
  const around = ['', host.text];
  const labels = host.text.split('.');
  for (let count = 1; count < labels.length; count += 1) {
    around.push(`*.${labels.slice(count).join('.')}`, `${labels.slice(0, -count).join('.')}.*`);
  }
  return [...new Set(around)];
}

/** The places at which a part that takes this one's paths may stand: the same, and each prefix. */
function pathsAround(path: PathMatch | null): readonly string[] {
  if (path === null) return [''];
  const around = ['', path.text];
  for (let length = 0; length <= path.prefix.length; length += 1) around.push(`prefix ${path.prefix.slice(0, length)}`);
  return around;
}
