import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Entity } from '../../model/entity.ts';
import { nearestWord } from '../../model/suggest.ts';
import { ruleNames } from '../registry.ts';
import type { Finding } from '../rule.ts';
import type { Allowance } from './allowance.ts';

/** The allowances of all files, by where they apply, and which of them did. */
export class AllowanceIndex {
  readonly #all: readonly Allowance[];
  readonly #byPlace = new Map<string, Allowance[]>();
  readonly #used = new Set<Allowance>();

  constructor(all: readonly Allowance[]) {
    this.#all = all;
    for (const allowance of all) {
      const key = placeKey(allowance.file, allowance.line, allowance.rule);
      const known = this.#byPlace.get(key);
      if (known === undefined) this.#byPlace.set(key, [allowance]);
      else known.push(allowance);
    }
  }

  /** Whether a finding is allowed: at the entity's first line, at its name, or where the finding is. */
  takes(entity: Entity, rule: string, finding: Finding): boolean {
    if (this.#all.length === 0) return false;
    const { source } = entity;
    const places = [source?.at([]), source?.location, finding.locations[0]];
    let taken = false;
    for (const place of places) {
      if (place === undefined) continue;
      for (const allowance of this.#byPlace.get(placeKey(place.file, place.line, rule)) ?? []) {
        this.#used.add(allowance);
        taken = true;
      }
    }
    return taken;
  }

  /** A warning for each allowance that allowed nothing; `active` are the rules that ran. */
  unused(active: ReadonlySet<string>): readonly Diagnostic[] {
    return this.#all.flatMap((allowance) => {
      if (this.#used.has(allowance)) return [];
      const known = ruleNames.includes(allowance.rule);
      if (known && !active.has(allowance.rule)) return [];
      return [known ? needless(allowance) : unknown(allowance)];
    });
  }
}

function placeKey(file: string, line: number, rule: string): string {
  return `${rule} ${line} ${file}`;
}

function needless({ rule, location }: Allowance): Diagnostic {
  return {
    rule: 'unused-allow',
    severity: 'warning',
    message: `This comment allows ${rule}, and nothing that it is about has that finding.`,
    hint: 'Delete the comment; or move it to the line of the entity, or to the line before it.',
    locations: [location],
    entities: [],
  };
}

function unknown({ rule, location }: Allowance): Diagnostic {
  const near = nearestWord(rule, ruleNames);
  return {
    rule: 'unused-allow',
    severity: 'warning',
    message: `This comment allows ${rule}, and there is no rule of that name.`,
    hint: near === undefined ? 'Take the name of the rule from the finding.' : `Did you mean ${near}?`,
    locations: [location],
    entities: [],
  };
}
