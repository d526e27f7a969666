import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { Location } from '../model/location.ts';

/** What a finding says; `severity` is `error` unless given. */
export interface FindingText {
  readonly rule: string;
  readonly severity?: Severity;
  readonly message: string;
  readonly hint: string;
}

/** A diagnostic about text rather than about entities. */
export function finding(text: FindingText, ...locations: readonly Location[]): Diagnostic {
  return {
    rule: text.rule,
    severity: text.severity ?? 'error',
    message: text.message,
    hint: text.hint,
    locations,
    entities: [],
  };
}

/** The findings of one file, bounded: a file of nothing but mistakes would otherwise drown all others. */
export class Findings {
  readonly list: Diagnostic[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether further findings are left out. */
  get full(): boolean {
    return this.list.length > this.#limit;
  }

  add(text: FindingText, ...locations: readonly Location[]): void {
    if (this.list.length < this.#limit) {
      this.list.push(finding(text, ...locations));
    } else if (this.list.length === this.#limit) {
      const more: FindingText = {
        rule: text.rule,
        message: `This file has more than ${this.#limit} findings; the rest is left out from here on.`,
        hint: 'Correct those shown, then check again.',
      };
      this.list.push(finding(more, ...locations.slice(0, 1)));
    }
  }
}
