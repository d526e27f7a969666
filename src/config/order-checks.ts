import type { PathFault } from './explain.ts';
import { isMapping } from './tree.ts';

/** Destinations that wait for one that there is not, for themselves, or for each other. */
export function orderFaults(destinations: readonly unknown[]): readonly PathFault[] {
  const after = new Map<string, readonly string[]>();
  for (const destination of destinations) {
    if (!isMapping(destination) || typeof destination['name'] !== 'string') continue;
    const list: unknown = destination['after'];
    const names: readonly unknown[] = Array.isArray(list) ? list : [];
    after.set(
      destination['name'],
      names.filter((name) => typeof name === 'string'),
    );
  }
  return destinations.flatMap((destination, index): readonly PathFault[] => {
    if (!isMapping(destination) || typeof destination['name'] !== 'string') return [];
    const own = destination['name'];
    return (after.get(own) ?? []).flatMap((name, at): readonly PathFault[] => {
      const path = ['destinations', index, 'after', at];
      if (!after.has(name)) {
        return [{ path, message: `is \`${name}\`, and there is no such destination`, hint: 'Name one of this file' }];
      }
      const circle = wayBack(name, own, after);
      if (circle === null) return [];
      const message = `leads back to \`${own}\`: ${[own, ...circle].join(' waits for ')}`;
      return [{ path, message, hint: 'Take one of them out, or no revision would ever go out' }];
    });
  });
}

/** The way from one destination to another along what they wait for, or null. */
function wayBack(from: string, to: string, after: ReadonlyMap<string, readonly string[]>): readonly string[] | null {
  const seen = new Set<string>();
  const walk = (name: string, way: readonly string[]): readonly string[] | null => {
    if (name === to) return [...way, name];
    if (seen.has(name)) return null;
    seen.add(name);
    for (const next of after.get(name) ?? []) {
      const found = walk(next, [...way, name]);
      if (found !== null) return found;
    }
    return null;
  };
  return walk(from, []);
}
