import { type Edges, sharedCycles } from './graph.ts';
import type { HandOver } from './hand-overs.ts';

/** Larger circles are broken anywhere: trying each member takes the square of their number. */
export const mostTried = 32;

/**
 * Of the givers in one circle, the one whose making way takes the fewest writes, as far as can be seen by trying each.
 * `group` is what `sharedCycles` gave, `costOf` how many writes it takes a giver to make way.
 */
export function cheapestGiver(
  waits: Edges,
  group: readonly (number | undefined)[],
  within: readonly HandOver[],
  costOf: (given: readonly HandOver[]) => number,
): number {
  const givers = [...new Set(within.map(({ from }) => from))];
  const [first = -1] = givers;
  if (givers.length === 1 || givers.length > mostTried) return first;
  const members = [...group.keys()].filter((node) => group[node] === group[first]);
  const place = new Map(members.map((node, at) => [node, at]));
  const costs = givers.map((giver) => {
    const given = within.filter(({ from }) => from === giver);
    const freed = new Set(given.map(({ to }) => to));
    const without = members.map((node) => {
      const others = [...(waits[node] ?? [])].filter((other) => other !== giver || !freed.has(node));
      return new Set(others.map((other) => place.get(other)).filter((at) => at !== undefined));
    });
    const left = new Set(sharedCycles(without).filter((number) => number !== undefined));
    return { giver, cost: costOf(given) + left.size };
  });
  costs.sort((a, b) => a.cost - b.cost);
  return costs[0]?.giver ?? first;
}
