import type { Entity } from '../model/entity.ts';
import { allEntities, type State } from '../model/state.ts';
import { coversHost, coversPath } from '../rules/routes/coverage.ts';
import { type RouteMatch, routeMatch } from '../rules/routes/route-match.ts';
import { protectionIn } from './quarantine-protection.ts';

/** A route whose requests would go to another one, without something that was before them. */
export interface Exposure {
  readonly route: Entity;
  readonly taker: Entity;
  /** The names of the plugins that would be missing. */
  readonly missing: readonly string[];
}

/**
 * Finds a route that was served with protection, is left out of a state, and whose requests another route of the state
 * would take with less: a page that was behind a login, say, below a path that is open.
 */
export function exposedBy(lost: readonly Entity[], before: State, state: State): Exposure | null {
  const protection = protectionIn(before);
  const guarded = lost.filter((route) => protection(route).size > 0);
  if (guarded.length === 0) return null;
  const now = protectionIn(state);
  const routes = allEntities(state).filter(({ kind }) => kind === 'routes');
  const matches = routes.map((taker) => ({ taker, match: routeMatch(taker) }));
  for (const route of guarded) {
    const narrow = routeMatch(route);
    for (const { taker, match } of matches) {
      if (!takes(match, narrow)) continue;
      const there = now(taker);
      const missing = [...protection(route)].filter((name) => !there.has(name)).sort();
      if (missing.length > 0) return { route, taker, missing };
    }
  }
  return null;
}

/** Whether a match takes some of the requests of another one once that is gone. */
function takes(wide: RouteMatch, narrow: RouteMatch): boolean {
  const meets = (ours: readonly string[] | null, others: readonly string[] | null) =>
    ours === null || others === null || others.some((item) => ours.includes(item));
  // What an expression takes is not looked into: it may take anything.
  if (wide.expression !== null || narrow.expression !== null) return true;
  return (
    wide.stream === narrow.stream &&
    narrow.protocols.some((protocol) => wide.protocols.includes(protocol)) &&
    meets(wide.methods, narrow.methods) &&
    meets(wide.snis, narrow.snis) &&
    meets(wide.sources, narrow.sources) &&
    meets(wide.destinations, narrow.destinations) &&
    [...wide.headers.keys()].every((name) => narrow.headers.has(name)) &&
    within(wide.hosts, narrow.hosts, coversHost) &&
    within(wide.paths, narrow.paths, coversPath)
  );
}

/** Whether some of what one list takes lies within the other; what is not asked about lies within nothing narrower. */
function within<T>(
  wide: readonly T[] | null,
  narrow: readonly T[] | null,
  covers: (wide: T, narrow: T) => boolean,
): boolean {
  if (wide === null || wide.length === 0) return true;
  return narrow?.some((one) => wide.some((other) => covers(other, one))) === true;
}
