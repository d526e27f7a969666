/** Per node, the nodes that it waits for. */
export type Edges = Set<number>[];

/**
 * The nodes in an order in which each comes after all it waits for, and otherwise by rank. What waits for itself in a
 * circle comes by rank as well, once nothing else is left.
 */
export function orderedByRank(waits: Edges, ranks: readonly number[]): readonly number[] {
  const followers: number[][] = waits.map(() => []);
  const open = waits.map((set) => set.size);
  for (const [node, set] of waits.entries()) for (const other of set) followers[other]?.push(node);
  const ready = new Heap(ranks);
  const done = new Set<number>();
  const order: number[] = [];
  for (const [node, count] of open.entries()) if (count === 0) ready.push(node);
  const byRank = waits.map((_, node) => node).sort((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0));
  for (const forced of [...byRank, -1]) {
    for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
      if (done.has(node)) continue;
      done.add(node);
      order.push(node);
      for (const follower of followers[node] ?? []) {
        const left = (open[follower] ?? 0) - 1;
        open[follower] = left;
        if (left === 0) ready.push(follower);
      }
    }
    if (done.size === waits.length) return order;
    if (forced >= 0 && !done.has(forced)) ready.push(forced);
  }
  return order;
}

/** A binary heap of nodes, the lowest rank first. */
class Heap {
  readonly #ranks: readonly number[];
  readonly #nodes: number[] = [];

  constructor(ranks: readonly number[]) {
    this.#ranks = ranks;
  }

  push(node: number): void {
    const nodes = this.#nodes;
    let at = nodes.push(node) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.#before(at, parent)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  pop(): number | undefined {
    const nodes = this.#nodes;
    const first = nodes[0];
    const last = nodes.pop();
    if (last === undefined || nodes.length === 0) return first;
    nodes[0] = last;
    for (let at = 0; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let least = at;
      if (left < nodes.length && this.#before(left, least)) least = left;
      if (right < nodes.length && this.#before(right, least)) least = right;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #before(a: number, b: number): boolean {
    return this.#rank(a) < this.#rank(b);
  }

  #rank(at: number): number {
    return this.#ranks[this.#nodes[at] ?? 0] ?? 0;
  }

  #swap(a: number, b: number): void {
    const nodes = this.#nodes;
    const [first, second] = [nodes[a], nodes[b]];
    if (first === undefined || second === undefined) return;
    nodes[a] = second;
    nodes[b] = first;
  }
}

/**
 * For each node in a circle, the number of its circle (strongly connected component): equal numbers wait for each
 * other. Undefined for a node in none. Tarjan's algorithm, without recursion.
 */
export function sharedCycles(waits: Edges): readonly (number | undefined)[] {
  const found: (number | undefined)[] = waits.map(() => undefined);
  const index: number[] = waits.map(() => -1);
  const low: number[] = waits.map(() => 0);
  const onStack = waits.map(() => false);
  const stack: number[] = [];
  let next = 0;
  for (const root of waits.keys()) {
    if (index[root] !== -1) continue;
    const path: { node: number; rest: Iterator<number> }[] = [];
    const enter = (node: number) => {
      index[node] = next;
      low[node] = next;
      next += 1;
      stack.push(node);
      onStack[node] = true;
      path.push({ node, rest: (waits[node] ?? new Set<number>()).values() });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const { node, rest } = top;
      const step = rest.next();
      if (step.done !== true) {
        const other = step.value;
        if (index[other] === -1) enter(other);
        else if (onStack[other] === true) low[node] = Math.min(low[node] ?? 0, index[other] ?? 0);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low[parent.node] = Math.min(low[parent.node] ?? 0, low[node] ?? 0);
      if (low[node] !== index[node]) continue;
      const component: number[] = [];
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        onStack[member] = false;
        component.push(member);
        if (member === node) break;
      }
      if (component.length > 1) for (const member of component) found[member] = node;
    }
  }
  return found;
}
