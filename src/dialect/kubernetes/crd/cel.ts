import { isJsonArray, isJsonObject, type Json } from '../../../model/json.ts';
import { callCel, durationOf, isEqual, orderOf } from './cel-functions.ts';
import { type CelToken, celTokens } from './cel-tokens.ts';

/** What the names in an expression stand for. */
export type CelScope = ReadonlyMap<string, Json>;

type Step = (scope: CelScope) => Json;

/** The expression cannot be worked out for a value: a field is not there, say. */
export class CelError extends Error {}

const known = new Map<string, Step>();

/**
 * Whether a rule of `x-kubernetes-validations` holds for a value: the part of the Common Expression Language (cel.dev)
 * that those rules are written in. Throws CelError where it cannot be worked out.
 */
export function celHolds(rule: string, self: Json): boolean {
  let step = known.get(rule);
  if (step === undefined) {
    step = new CelParser(celTokens(rule)).whole();
    known.set(rule, step);
  }
  return step(new Map([['self', self]])) === true;
}

const macros = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

class CelParser {
  readonly #tokens: readonly CelToken[];
  #at = 0;

  constructor(tokens: readonly CelToken[]) {
    this.#tokens = tokens;
  }

  whole(): Step {
    const step = this.ternary();
    if (this.#peek().type !== 'end') throw new SyntaxError('more than an expression');
    return step;
  }

  ternary(): Step {
    const test = this.or();
    if (!this.#take('?')) return test;
    const yes = this.ternary();
    this.#need(':');
    const no = this.ternary();
    return (scope) => (test(scope) === true ? yes(scope) : no(scope));
  }

  or(): Step {
    let left = this.and();
    while (this.#take('||')) {
      const [a, b] = [left, this.and()];
      // As CEL has it, one side that is true makes up for another that cannot be worked out.
      left = (scope) => attempt(a, scope) === true || b(scope) === true || a(scope) === true;
    }
    return left;
  }

  and(): Step {
    let left = this.relation();
    while (this.#take('&&')) {
      const [a, b] = [left, this.relation()];
      left = (scope) => a(scope) === true && b(scope) === true;
    }
    return left;
  }

  relation(): Step {
    let left = this.sum();
    for (;;) {
      const a = left;
      if (this.#take('==')) left = binary(a, this.sum(), isEqual);
      else if (this.#take('!=')) left = binary(a, this.sum(), (x, y) => !isEqual(x, y));
      else if (this.#take('<=')) left = binary(a, this.sum(), (x, y) => orderOf(x, y) <= 0);
      else if (this.#take('>=')) left = binary(a, this.sum(), (x, y) => orderOf(x, y) >= 0);
      else if (this.#take('<')) left = binary(a, this.sum(), (x, y) => orderOf(x, y) < 0);
      else if (this.#take('>')) left = binary(a, this.sum(), (x, y) => orderOf(x, y) > 0);
      else if (this.#takeName('in')) left = binary(a, this.sum(), isIn);
      else return left;
    }
  }

  sum(): Step {
    let left = this.unary();
    for (;;) {
      const a = left;
      if (this.#take('+')) left = binary(a, this.unary(), (x, y) => Number(x) + Number(y));
      else if (this.#take('-')) left = binary(a, this.unary(), (x, y) => Number(x) - Number(y));
      else return left;
    }
  }

  unary(): Step {
    if (this.#take('!')) {
      const inner = this.unary();
      return (scope) => inner(scope) !== true;
    }
    return this.member();
  }

  member(): Step {
    let step = this.primary();
    for (;;) {
      const of = step;
      if (this.#take('.')) {
        const name = this.#name();
        step = this.#take('(') ? this.#method(of, name) : (scope) => field(of(scope), name);
      } else if (this.#take('[')) {
        const index = this.ternary();
        this.#need(']');
        step = (scope) => item(of(scope), index(scope));
      } else return step;
    }
  }

  primary(): Step {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    switch (token?.type) {
      case 'text':
      case 'number': {
        const { value } = token;
        return () => value;
      }
      case 'name':
        return this.#named(token.text);
      case 'sign':
        if (token.text === '(') {
          const inner = this.ternary();
          this.#need(')');
          return inner;
        }
        if (token.text === '[') return this.#list();
        throw new SyntaxError(`an unexpected ${token.text}`);
      case 'end':
      case undefined:
        throw new SyntaxError('an unexpected end');
    }
  }

  #named(name: string): Step {
    if (name === 'true' || name === 'false') return () => name === 'true';
    if (name === 'null') return () => null;
    if (this.#take('(')) {
      if (name === 'has') return this.#has();
      const args = this.#arguments();
      return name === 'duration'
        ? (scope) => durationOf(args[0]?.(scope) ?? null)
        : (scope) =>
            callCel(
              name,
              args.map((arg) => arg(scope)),
            );
    }
    return (scope) => {
      const value = scope.get(name);
      if (value === undefined) throw new CelError(`${name} is not known`);
      return value;
    };
  }

  /** `has(a.b)`: whether the last field is there. */
  #has(): Step {
    const start = this.#at;
    this.member();
    this.#need(')');
    // The last two words before the bracket are the dot and the field.
    const last = this.#tokens[this.#at - 2];
    const name = last?.type === 'name' ? plain(last.text) : '';
    const inner = new CelParser([...this.#tokens.slice(start, this.#at - 3), { type: 'end' }]).whole();
    return (scope) => {
      const value = inner(scope);
      return isJsonObject(value) && Object.hasOwn(value, name) && value[name] !== null;
    };
  }

  #method(of: Step, name: string): Step {
    if (!macros.has(name)) {
      const args = this.#arguments();
      return (scope) => callCel(name, [of(scope), ...args.map((arg) => arg(scope))]);
    }
    const variable = this.#name();
    this.#need(',');
    const body = this.ternary();
    this.#need(')');
    return (scope) => {
      const over = of(scope);
      const items = isJsonArray(over) ? over : isJsonObject(over) ? Object.keys(over) : null;
      if (items === null) throw new CelError('neither a list nor a mapping');
      const test = (one: Json) => body(new Map([...scope, [variable, one]]));
      return macro(name, items, test);
    };
  }

  #arguments(): readonly Step[] {
    const args: Step[] = [];
    if (this.#take(')')) return args;
    do args.push(this.ternary());
    while (this.#take(','));
    this.#need(')');
    return args;
  }

  #list(): Step {
    const items: Step[] = [];
    if (!this.#take(']')) {
      do items.push(this.ternary());
      while (this.#take(','));
      this.#need(']');
    }
    return (scope) => items.map((one) => one(scope));
  }

  #name(): string {
    const token = this.#tokens[this.#at];
    this.#at += 1;
    if (token?.type !== 'name') throw new SyntaxError('a name is missing');
    return plain(token.text);
  }

  #peek(): CelToken {
    return this.#tokens[this.#at] ?? { type: 'end' };
  }

  #take(sign: string): boolean {
    const token = this.#peek();
    if (token.type !== 'sign' || token.text !== sign) return false;
    this.#at += 1;
    return true;
  }

  #takeName(name: string): boolean {
    const token = this.#peek();
    if (token.type !== 'name' || token.text !== name) return false;
    this.#at += 1;
    return true;
  }

  #need(sign: string): void {
    if (!this.#take(sign)) throw new SyntaxError(`${sign} is missing`);
  }
}

/** Names that CEL keeps for itself are written with underscores in rules. */
function plain(name: string): string {
  return name.replace(/^__(\w+)__$/, '$1');
}

function attempt(step: Step, scope: CelScope): Json | undefined {
  try {
    return step(scope);
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

function binary(a: Step, b: Step, make: (x: Json, y: Json) => Json): Step {
  return (scope) => make(a(scope), b(scope));
}

function isIn(one: Json, all: Json): boolean {
  if (isJsonArray(all)) return all.some((item) => isEqual(item, one));
  return isJsonObject(all) && typeof one === 'string' && Object.hasOwn(all, one);
}

function field(value: Json, name: string): Json {
  const found = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  if (found === undefined || found === null) throw new CelError(`no field ${name}`);
  return found;
}

function item(value: Json, index: Json): Json {
  const found = isJsonArray(value) ? value[Number(index)] : isJsonObject(value) ? value[String(index)] : undefined;
  if (found === undefined) throw new CelError('no such item');
  return found;
}

function macro(name: string, items: readonly Json[], test: (one: Json) => Json): Json {
  switch (name) {
    case 'all':
      return items.every((one) => test(one) === true);
    case 'exists':
      return items.some((one) => test(one) === true);
    case 'exists_one':
      return items.filter((one) => test(one) === true).length === 1;
    case 'filter':
      return items.filter((one) => test(one) === true);
    default:
      return items.map(test);
  }
}
