import { readFileSync, writeFileSync } from 'node:fs';
import { z } from 'zod';

/** How one case of a corpus went. */
export interface Outcome {
  /** What it is listed under in the table. */
  readonly group: string;
  readonly name: string;
  readonly passed: boolean;
  /** What was wrong, one line each; empty when it passed. */
  readonly faults: readonly string[];
}

const baseline = z.array(z.string());

/** The names of the cases that passed before. */
export function readBaseline(path: string): readonly string[] {
  return baseline.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Keeps the cases that pass now as those that have to pass from now on. */
export function writeBaseline(path: string, outcomes: readonly Outcome[]): void {
  const names = outcomes.filter(({ passed }) => passed).map(({ name }) => name);
  writeFileSync(path, `${JSON.stringify([...new Set(names)].sort(), null, 2)}\n`);
}

/** A table: per group, how many cases pass. */
export function table(title: string, outcomes: readonly Outcome[]): string {
  const groups = [...new Set(outcomes.map(({ group }) => group))];
  const width = Math.max(34, ...groups.map((group) => group.length));
  const line = (name: string, list: readonly Outcome[]) =>
    `${name.padEnd(width)} ${String(list.filter(({ passed }) => passed).length).padStart(6)} ${String(list.length).padStart(5)}`;
  return [
    `${title.padEnd(width)} ${'pass'.padStart(6)} ${'of'.padStart(5)}`,
    ...groups.map((group) =>
      line(
        group,
        outcomes.filter((outcome) => outcome.group === group),
      ),
    ),
    line('all', outcomes),
  ].join('\n');
}
