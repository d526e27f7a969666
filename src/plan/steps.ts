import type { Entity } from '../model/entity.ts';
import type { Json } from '../model/json.ts';
import { deepestLevel, kinds } from '../model/kinds.ts';
import type { Operation } from './operation.ts';

/**
 * One request to come. `main` carries out its operation; the others make way for it or for another one: a `removal`
 * deletes an entity that its main step makes again, an `interim` writes the live entity with temporary values and
 * without some of its foreign keys, and a `closed` one makes a route that matches nothing yet. A live `route` that is
 * not to change is closed by a `shut` one and written as it was by an `open` one, on behalf of the operation.
 */
export interface Step {
  readonly operation: number;
  readonly role: 'main' | 'removal' | 'interim' | 'closed' | 'shut' | 'open';
  readonly temporary: { readonly [field: string]: Json };
  readonly detached: readonly string[];
  readonly route?: Entity;
}

/** What is different about an entity while it is written in passing. */
export interface Lent extends Pick<Step, 'temporary' | 'detached'> {
  /** The scope of a plugin that nothing else may have meanwhile; none where it is left out. */
  readonly scope?: string | null;
}

/** Steps in an order in which they can be sent, and what each has to wait for (by place in the order). */
export interface Sequence {
  readonly steps: readonly Step[];
  readonly after: readonly (readonly number[])[];
  /** Deletes of protection that had to come first: by step, the steps without whose success it is taken back. */
  readonly takenBack: ReadonlyMap<number, readonly number[]>;
  /** Closings of live routes: by step, those that it was done for. Where none of them comes, it is taken back. */
  readonly reopened: ReadonlyMap<number, readonly number[]>;
  /** Operations as they are shown: creates and updates from parents to children, then deletes from children to parents. */
  readonly shown: readonly number[];
  /** Live routes that match nothing for a moment, because what protects them moves. */
  readonly closed: readonly Entity[];
  /** Entities that are gone for a moment, because nothing else breaks a circle of hand-overs. */
  readonly interrupted: readonly Entity[];
  /** Entities whose hand-over has no order that works. */
  readonly stuck: readonly Entity[];
}

/** A step of an operation, without anything temporary. */
export function step(operation: number, role: Step['role']): Step {
  return { operation, role, temporary: {}, detached: [] };
}

/** Creates and updates by level down, then deletes by level up; within one, the operations' own order. */
export function ranksOf(steps: readonly Step[], operations: readonly Operation[]): readonly number[] {
  const size = operations.length;
  return steps.map(({ operation, role, route }) => {
    const { action = 'create', entity } = operations[operation] ?? {};
    const kind = route?.kind ?? entity?.kind;
    const level = kind === undefined ? 0 : kinds[kind].level;
    const floor = action === 'delete' && role === 'main' ? 2 * deepestLevel + 1 - level : level;
    return (floor * (size + 1) + operation) * 2 + (role === 'main' ? 1 : 0);
  });
}
