import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import { type Bench, type BenchWish, openBench } from './bench.ts';
import { changing } from './changing.ts';
import { failing } from './failing.ts';
import { givenIds } from './given-ids.ts';
import { handingOver } from './handing-over.ts';
import { owning } from './owning.ts';

/** A destination under the contract. */
export interface ContractOptions {
  readonly name: string;
  readonly make: BenchWish;
  /** Tests that do not hold for it, each with the reason. */
  readonly skip: readonly { readonly reason: string; readonly tests: readonly string[] }[];
}

/** Where the parts of the contract put their tests. */
export interface Contract {
  /** A test that holds for every destination. */
  readonly holds: (name: string, run: (bench: Bench) => Promise<void>) => void;
  /** A test that needs a server that can be made to fail: not run against a real one. */
  readonly survives: (name: string, run: (bench: Bench) => Promise<void>) => void;
  readonly wish: BenchWish;
  readonly mode: Bench['mode'];
  readonly edition: Bench['edition'];
}

/** The contract of a destination: what holds alike for a Kong with a database, DB-less nodes and a Konnect control plane. */
export function destinationContract({ name, make, skip }: ContractOptions): void {
  describe(name, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await openBench(make);
    });
    beforeEach(() => bench.reset());
    afterAll(() => bench?.close());

    const skipped = new Map(skip.flatMap(({ reason, tests }) => tests.map((one) => [one, reason] as const)));
    const used = new Set<string>();
    const add = (title: string, run: (bench: Bench) => Promise<void>, runs: boolean) => {
      used.add(title);
      const reason = skipped.get(title);
      if (reason !== undefined) test.skip(`${title} (${reason})`, () => undefined);
      else if (runs) test(title, () => run(bench));
    };
    const contract: Contract = {
      holds: (title, run) => add(title, run, true),
      survives: (title, run) => add(title, run, make.url === undefined),
      wish: make,
      mode: make.flavour === 'kong' ? 'database' : make.flavour,
      edition: make.edition ?? (make.flavour === 'konnect' ? 'enterprise' : 'oss'),
    };
    changing(contract);
    handingOver(contract);
    givenIds(contract);
    owning(contract);
    failing(contract);
    for (const title of skipped.keys()) if (!used.has(title)) throw new Error(`there is no test "${title}" to skip`);
  });
}
