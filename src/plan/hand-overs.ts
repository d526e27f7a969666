import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import { type UniqueValue, uniqueValues } from './unique-values.ts';

/** Unique values that pass from the entity of one operation to that of another, both by their places. */
export interface HandOver {
  readonly from: number;
  readonly to: number;
  readonly values: readonly UniqueValue[];
}

/** Every unique value that one operation frees and another takes. */
export function handOversOf(operations: readonly Operation[], matching: Matching): readonly HandOver[] {
  const freed = new Map<string, number>();
  const kept = operations.map(({ target, normalTarget }) =>
    target === null ? [] : uniqueValues(target, normalTarget, matching.idOfReference),
  );
  const held = operations.map(({ live, normalLive }) =>
    live === null ? [] : uniqueValues(live, normalLive, (reference) => reference.id),
  );
  for (const [index, values] of held.entries()) {
    const stays = new Set(kept[index]?.map((value) => value.key));
    for (const value of values) if (!stays.has(value.key)) freed.set(value.key, index);
  }
  return [...kept.entries()].flatMap(([to, values]) => {
    const givers = new Map<number, UniqueValue[]>();
    for (const value of values) {
      const from = freed.get(value.key);
      if (from !== undefined && from !== to) givers.set(from, [...(givers.get(from) ?? []), value]);
    }
    return [...givers].map(([from, passed]): HandOver => ({ from, to, values: passed }));
  });
}
