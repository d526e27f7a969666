import type { FindingText } from '../findings.ts';
import type { Operand, Pipe } from './action.ts';
import {
  callFunction,
  conversionError,
  type FunctionWorld,
  isTrue,
  standIn,
  type TemplateScalar,
} from './functions.ts';
import type { TemplateNode } from './parse.ts';
import { notSet, notSupported, TemplateError, unknownVariable, variablePrefix, wrongPrefix } from './problems.ts';

/**
 * Whether other values stand in for those of the environment: never; `where-needed`, where a value cannot be converted
 * (which is then a warning); `where-unset`, also for a variable that is not set, and without a word; or `always`, so that no value is looked at and checks still mean something, as a review of
 * other people's changes asks for.
 */
export type StandIns = 'never' | 'where-needed' | 'where-unset' | 'always';

/** What templates are resolved with. */
export interface TemplateWorld {
  readonly environment: (name: string) => string | undefined;
  readonly standIns: StandIns;
}

/** A piece of a resolved template: a range of its text as it stands there, or a value in the place of one. */
export type Piece =
  | { readonly type: 'text'; readonly start: number; readonly end: number }
  | {
      readonly type: 'value';
      readonly value: TemplateScalar;
      readonly variables: readonly string[];
      readonly start: number;
      readonly end: number;
    };

/** Something wrong with a part of a template. */
export interface PlacedProblem {
  readonly problem: FindingText;
  readonly start: number;
  readonly end: number;
}

/** Whether the output of an action is to stay in the text as it was written, to be resolved later. */
export type Keeps = (node: Extract<TemplateNode, { type: 'output' }>) => boolean;

/** Carries out a template. */
export class Evaluation {
  readonly pieces: Piece[] = [];
  readonly problems: PlacedProblem[] = [];
  /** The variables of the environment that were named, in order. */
  readonly variables: string[] = [];
  readonly #world: TemplateWorld;
  readonly #indent: (text: string, count: number) => string;
  readonly #keeps: Keeps;
  readonly #set = new Map<string, { readonly value: TemplateScalar; readonly variables: readonly string[] }>();

  /** `indent` carries out the function of that name, which depends on where the text stands. */
  constructor(world: TemplateWorld, indent: (text: string, count: number) => string, keeps: Keeps = () => false) {
    this.#world = world;
    this.#indent = indent;
    this.#keeps = keeps;
  }

  run(nodes: readonly TemplateNode[]): void {
    for (const node of nodes) {
      const { start, end } = node;
      switch (node.type) {
        case 'text':
          this.pieces.push({ type: 'text', start, end });
          break;
        case 'problem':
          this.problems.push({ problem: node.problem, start, end });
          break;
        case 'if': {
          const branch = node.branches.find(({ condition }) => condition === null || this.#holds(condition, start));
          if (branch !== undefined) this.run(branch.body);
          break;
        }
        case 'output':
          if (this.#keeps(node)) this.pieces.push({ type: 'text', start, end });
          else this.#output(node.pipe, start, end);
      }
    }
  }

  #output(pipe: Pipe, start: number, end: number): void {
    const result = this.#try(pipe, start, end);
    if (result === null || pipe.sets !== null) return;
    this.pieces.push({ type: 'value', ...result, start, end });
  }

  #holds(condition: Pipe, start: number): boolean {
    const result = this.#try(condition, start, start + 3);
    return result !== null && isTrue(result.value);
  }

  #try(
    pipe: Pipe,
    start: number,
    end: number,
  ): { readonly value: TemplateScalar; readonly variables: readonly string[] } | null {
    const variables: string[] = [];
    const note = (problem: FindingText) => this.problems.push({ problem, start, end });
    try {
      const value = this.#pipe(pipe, variables, this.#functionWorld(variables, note));
      if (pipe.sets !== null) this.#set.set(pipe.sets, { value, variables });
      return { value, variables };
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      note(error.problem);
      return null;
    } finally {
      for (const variable of variables) if (!this.variables.includes(variable)) this.variables.push(variable);
    }
  }

  #pipe(pipe: Pipe, variables: string[], world: FunctionWorld): TemplateScalar {
    let last: readonly TemplateScalar[] = [];
    for (const command of pipe.commands) last = [this.#command(command, last, variables, world)];
    return last[0] ?? null;
  }

  #command(
    command: readonly Operand[],
    piped: readonly TemplateScalar[],
    variables: string[],
    world: FunctionWorld,
  ): TemplateScalar {
    const [head, ...rest] = command;
    if (head?.type === 'function') {
      const values = rest.map((operand) => this.#operand(operand, variables, world));
      return callFunction(head.name, [...values, ...piped], world);
    }
    if (head === undefined || rest.length > 0 || piped.length > 0) throw new TemplateError(notSupported);
    return this.#operand(head, variables, world);
  }

  #operand(operand: Operand, variables: string[], world: FunctionWorld): TemplateScalar {
    switch (operand.type) {
      case 'constant':
        return operand.value;
      case 'group':
        return this.#pipe(operand.pipe, variables, world);
      case 'function':
        return callFunction(operand.name, [], world);
      case 'variable': {
        const found = this.#set.get(operand.name);
        if (found === undefined) throw new TemplateError(unknownVariable(operand.name));
        for (const one of found.variables) variables.push(one);
        return found.value;
      }
    }
  }

  #functionWorld(variables: string[], note: (problem: FindingText) => void): FunctionWorld {
    const { environment, standIns } = this.#world;
    return {
      env: (name) => {
        if (!variables.includes(name)) variables.push(name);
        if (!name.startsWith(variablePrefix)) throw new TemplateError(wrongPrefix(name));
        if (standIns === 'always') return nameOfStandIn(name);
        const value = environment(name);
        if (value !== undefined) return value;
        if (standIns === 'where-unset') return nameOfStandIn(name);
        throw new TemplateError(notSet(name));
      },
      indent: this.#indent,
      unconverted: (step) => {
        const { problem } = conversionError(variables, step);
        if (standIns === 'never') throw new TemplateError(problem);
        if (standIns === 'where-needed') note({ ...problem, severity: 'warning' });
        return standIn(step);
      },
    };
  }
}

/** A text that is different for each variable, and fit for a name or a host. */
function nameOfStandIn(variable: string): string {
  return variable
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '');
}
