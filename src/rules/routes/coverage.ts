import type { HostMatch, PathMatch, RouteMatch } from './route-match.ts';

/** Whether a host match takes every host that another one takes. */
export function coversHost(wide: HostMatch, narrow: HostMatch): boolean {
  if (wide.port !== null && wide.port !== narrow.port) return false;
  switch (wide.wildcard) {
    case 'none':
      return narrow.wildcard === 'none' && wide.text === narrow.text;
    case 'start':
      return narrow.wildcard !== 'end' && narrow.text !== '*' && withoutStar(narrow.text).endsWith(wide.text.slice(1));
    case 'end':
      return narrow.wildcard !== 'start' && withoutStar(narrow.text).startsWith(wide.text.slice(0, -1));
  }
}

/** A wildcard's own text with the star as a letter, so that `*.example.com` lies within itself. */
function withoutStar(text: string): string {
  return text.replace('*', 'x');
}

/** Whether a path match takes every path that another one takes, as far as that is plain to see. */
export function coversPath(wide: PathMatch, narrow: PathMatch): boolean {
  if (wide.text === narrow.text) return true;
  return wide.wholePrefix && narrow.prefix.startsWith(wide.prefix);
}

/** Whether all parts but hosts and paths of a match take everything that those of another one take. */
export function coversRest(wide: RouteMatch, narrow: RouteMatch): boolean {
  return (
    wide.stream === narrow.stream &&
    narrow.protocols.every((protocol) => wide.protocols.includes(protocol)) &&
    coversList(wide.methods, narrow.methods) &&
    coversList(wide.snis, narrow.snis) &&
    coversList(wide.sources, narrow.sources) &&
    coversList(wide.destinations, narrow.destinations) &&
    [...wide.headers].every(([name, values]) => {
      const others = narrow.headers.get(name);
      return others?.every((value) => values.includes(value)) === true;
    })
  );
}

function coversList(wide: readonly string[] | null, narrow: readonly string[] | null): boolean {
  return wide === null || narrow?.every((item) => wide.includes(item)) === true;
}
