import { fromPointer, jsonEqual } from '../../../model/json.ts';
import { KustomizeProblem } from './problem.ts';
import { type Budget, copied, isMapping, plain, type Traced, type TracedMapping, tracedText } from './traced.ts';

/** Carries out a JSON patch (RFC 6902) on an object, one operation after the other. */
export function applyJsonPatch(target: TracedMapping, operations: readonly Traced[], budget: Budget): void {
  for (const operation of operations) new Operation(target, operation, budget).run();
}

class Operation {
  readonly #root: TracedMapping;
  readonly #operation: Traced;
  readonly #budget: Budget;

  constructor(root: TracedMapping, operation: Traced, budget: Budget) {
    this.#root = root;
    this.#operation = operation;
    this.#budget = budget;
  }

  run(): void {
    const name = tracedText(this.#operation, 'op');
    const path = this.#pointer('path');
    if (name === 'add') this.#add(path, copied(this.#value(), this.#budget));
    else if (name === 'remove') this.#remove(path);
    else if (name === 'replace') this.#replace(path, copied(this.#value(), this.#budget));
    else if (name === 'move') this.#add(path, this.#remove(this.#pointer('from')));
    else if (name === 'copy') this.#add(path, copied(this.#find(this.#pointer('from')), this.#budget));
    else if (name === 'test') this.#test(path);
    else this.#fail('`op` is add, remove, replace, move, copy or test');
  }

  #test(path: readonly string[]): void {
    const wanted = plain(this.#value());
    // What is not there is as good as null, as it is for Kustomize.
    const found = wanted === null && !this.#has(path) ? null : plain(this.#find(path));
    if (!jsonEqual(found, wanted)) this.#fail(`The test of ${shown(path)} fails`);
  }

  #has(path: readonly string[]): boolean {
    const parent = this.#find(path.slice(0, -1));
    return !isMapping(parent) || parent.value.has(path.at(-1) ?? '');
  }

  #add(path: readonly string[], value: Traced): void {
    const parent = this.#find(path.slice(0, -1)).value;
    const last = path.at(-1) ?? '';
    if (parent instanceof Map && path.length > 0) parent.set(last, value);
    else if (Array.isArray(parent))
      parent.splice(last === '-' ? parent.length : this.#index(last, parent, parent.length + 1), 0, value);
    else this.#fail(`Nothing can be added at ${shown(path)}`);
  }

  #replace(path: readonly string[], value: Traced): void {
    // A key that is not there is added, as Kustomize does.
    if (this.#has(path)) this.#find(path);
    const parent = this.#find(path.slice(0, -1)).value;
    const last = path.at(-1) ?? '';
    if (parent instanceof Map && path.length > 0) parent.set(last, value);
    else if (Array.isArray(parent)) parent[this.#index(last, parent)] = value;
    else this.#fail('The whole of an object cannot be replaced');
  }

  #remove(path: readonly string[]): Traced {
    const found = this.#find(path);
    const parent = this.#find(path.slice(0, -1)).value;
    const last = path.at(-1) ?? '';
    if (parent instanceof Map && path.length > 0) parent.delete(last);
    else if (Array.isArray(parent)) parent.splice(this.#index(last, parent), 1);
    else this.#fail('The whole of an object cannot be removed');
    return found;
  }

  #find(path: readonly string[]): Traced {
    let current: Traced = this.#root;
    for (const step of path) {
      const { value }: Traced = current;
      const next: Traced | undefined = Array.isArray(value)
        ? value[this.#index(step, value)]
        : isMapping(current)
          ? current.value.get(step)
          : undefined;
      if (next === undefined) this.#fail(`There is nothing at ${shown(path)}`);
      current = next;
    }
    return current;
  }

  /** A place in a list; one below zero counts from the end, as it does for Kustomize. */
  #index(step: string, list: readonly unknown[], end = list.length): number {
    const index = /^(?:0|-?[1-9]\d{0,8})$/.test(step) ? Number(step) : Number.NaN;
    const counted = index < 0 ? end + index : index;
    if (counted >= 0 && counted <= list.length) return counted;
    return this.#fail(`${JSON.stringify(step)} is no place in a list of ${list.length}`);
  }

  #value(): Traced {
    const value = isMapping(this.#operation) ? this.#operation.value.get('value') : undefined;
    return value ?? this.#fail('This operation needs a `value`');
  }

  #pointer(field: 'path' | 'from'): readonly string[] {
    const pointer = tracedText(this.#operation, field);
    if (pointer === null || (pointer !== '' && !pointer.startsWith('/'))) {
      return this.#fail(`\`${field}\` has to be a JSON pointer such as /spec/rules/0`);
    }
    return fromPointer(pointer);
  }

  #fail(message: string): never {
    throw new KustomizeProblem(message, 'See RFC 6902 for what each operation does.', this.#operation.place);
  }
}

function shown(path: readonly string[]): string {
  return JSON.stringify(`/${path.join('/')}`);
}
