import { missingReference } from './missing-reference.ts';
import type { Rule } from './rule.ts';
import { uniqueCredential } from './unique-credential.ts';

/** The only list of rules, by name. */
export const rules: readonly Rule[] = [missingReference, uniqueCredential].sort((a, b) => (a.name < b.name ? -1 : 1));

/** The names of all rules, sorted. */
export const ruleNames: readonly string[] = rules.map((rule) => rule.name);

/** The documentation page of a rule, in Markdown, or undefined where there is no such rule. */
export function explain(name: string): string | undefined {
  return rules.find((rule) => rule.name === name)?.documentation;
}
