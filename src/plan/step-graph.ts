import type { Entity } from '../model/entity.ts';
import type { Edges } from './graph.ts';
import type { Matching } from './match.ts';
import type { Operation } from './operation.ts';
import type { PlanInput } from './plan-input.ts';
import { type Lent, type Step, step } from './steps.ts';

/** Steps, and what each of them waits for. */
export class StepGraph {
  /** The operations' main steps come first, each at its operation's place. */
  readonly steps: Step[];
  /** Per step, the steps that it waits for. */
  readonly waits: Edges;
  /** By operation, the step that deletes what its main step makes again. */
  readonly removals = new Map<number, number>();
  /** By operation, the step that writes the live entity in passing. */
  readonly interims = new Map<number, number>();
  /** By operation, the step that makes its route closed. */
  readonly closings = new Map<number, number>();
  /** Steps after which a live route matches nothing. */
  readonly shut = new Set<number>();
  readonly #operations: readonly Operation[];
  readonly #matching: Matching;
  readonly #mode: PlanInput['mode'];
  readonly #byLive: ReadonlyMap<Entity, number>;

  constructor(
    operations: readonly Operation[],
    matching: Matching,
    mode: PlanInput['mode'],
    byLive: ReadonlyMap<Entity, number>,
  ) {
    this.#operations = operations;
    this.#matching = matching;
    this.#mode = mode;
    this.#byLive = byLive;
    this.steps = operations.map((_, operation) => step(operation, 'main'));
    this.waits = operations.map(() => new Set<number>());
  }

  /** Has a step wait for another one; for itself or none, nothing. */
  wait(step: number, forStep: number | undefined): void {
    if (forStep !== undefined && forStep !== step) this.waits[step]?.add(forStep);
  }

  /** Adds a step that waits for nothing. Its place. */
  push(made: Step): number {
    this.waits.push(new Set<number>());
    return this.steps.push(made) - 1;
  }

  /** On the Admin API a certificate is written with its SNIs' names, so it has to be written before they change. */
  waitForCertificate(index: number): void {
    const { entity, live } = this.#operations[this.steps[index]?.operation ?? index] ?? {};
    if (this.#mode !== 'database' || entity?.kind !== 'snis' || live === null || live === undefined) return;
    for (const reference of live.references) {
      const to = reference.id === null ? undefined : this.#matching.live.byId(reference.kind, reference.id);
      const writing = to === undefined ? undefined : this.#byLive.get(to);
      if (writing !== undefined && this.#operations[writing]?.action === 'update') this.wait(index, writing);
    }
  }

  /** Writes an entity in passing. All that is to be different meanwhile goes into one write. */
  interim(operation: number, { temporary, detached }: Lent): number {
    const known = this.steps[this.interims.get(operation) ?? -1];
    const index = this.#extra(this.interims, {
      operation,
      role: 'interim',
      temporary: { ...known?.temporary, ...temporary },
      detached: [...new Set([...(known?.detached ?? []), ...detached])],
    });
    const closing = this.closings.get(operation);
    if (closing !== undefined) this.wait(closing, index);
    return index;
  }

  /** Deletes an entity before its main step makes it again. */
  removal(operation: number): number {
    const index = this.#extra(this.removals, step(operation, 'removal'));
    this.wait(index, this.interims.get(operation));
    for (const other of this.waits[operation] ?? []) if (this.shut.has(other)) this.wait(index, other);
    return index;
  }

  /** Makes a route that matches nothing before its main step gives it its match. */
  closing(operation: number): number {
    return this.#extra(this.closings, step(operation, 'closed'));
  }

  /** Puts a step before its operation's main one, or in the place of the one of the same role that is there. */
  #extra(roles: Map<number, number>, made: Step): number {
    const known = roles.get(made.operation);
    if (known !== undefined) {
      this.steps[known] = made;
      return known;
    }
    const index = this.push(made);
    roles.set(made.operation, index);
    this.wait(made.operation, index);
    this.waitForCertificate(index);
    return index;
  }
}
