import type { PathMatch, RouteMatch } from './route-match.ts';

/**
 * How early a router tries a route for requests to one of its paths: of two that match, the one whose list is greater
 * wins, compared from its first number on.
 */
export type Precedence = readonly number[];

/**
 * The precedence of a route for requests to one of its paths (null where it matches by no path), as Kong's routers
 * other than expressions order them: how many kinds of things the route matches by; whether all its hosts are plain;
 * how many headers; a regular expression before a prefix; among those the higher regex_priority; the longer prefix.
 * The traditional router sorts by the same, except that hosts and regular expressions change places.
 */
export function precedence(match: RouteMatch, path: PathMatch | null): Precedence {
  const kinds = [match.hosts, match.paths, match.methods, match.snis].filter((part) => part !== null).length;
  const plainHosts = match.hosts?.every((host) => host.wildcard === 'none') === true;
  const regex = path?.regex === true;
  return [
    kinds + (match.headers.size > 0 ? 1 : 0),
    plainHosts ? 1 : 0,
    Math.min(match.headers.size, 255),
    regex ? 1 : 0,
    regex ? match.regexPriority : 0,
    path === null || regex ? 0 : path.text.length,
  ];
}

/** Below zero where `a` is tried first, above where `b` is, zero where neither is sure to be. */
export function comparePrecedence(a: Precedence, b: Precedence): number {
  for (const [index, number] of a.entries()) {
    const other = b[index] ?? 0;
    if (number !== other) return other - number;
  }
  return 0;
}
