import { build } from '../../../src/build/build.ts';
import type { RiskNote } from '../../../src/build/risk/risk.ts';
import { riskNotes } from '../../../src/build/risk/risk-notes.ts';
import type { State } from '../../../src/model/state.ts';
import { loadSchemas } from '../../../src/schema/bundled.ts';
import type { Schemas } from '../../../src/schema/schema.ts';

/** Schemas of Kong 3.9 with each of its routers. */
export const schemas = await loadSchemas({ version: '3.9', edition: 'enterprise', router: 'traditional_compatible' });

/** The state of a decK file, with stand-ins for what comes from the environment. */
export function stateOfText(text: string, using: Schemas = schemas): State {
  const bytes = new TextEncoder().encode(`_format_version: "3.0"\n${text}`);
  return build(
    { revision: null, entries: new Map([['kong.yaml', { type: 'file', bytes, blob: null }]]) },
    { scope: null, schemas: using, rules: {}, environment: () => undefined, standIns: true, instant: 0 },
  ).state;
}

/** The notes about a change from one file to another. */
export function notesOf(
  base: string,
  head: string,
  options: { schemas?: Schemas; instant?: number } = {},
): readonly RiskNote[] {
  const using = options.schemas ?? schemas;
  return riskNotes(stateOfText(base, using), stateOfText(head, using), {
    schemas: using,
    instant: options.instant ?? 0,
  });
}

/** Notes in words: `danger route-unmatched: …`. */
export function wordsOf(notes: readonly RiskNote[]): readonly string[] {
  return notes.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

/** A file with one service and the given routes and plugins, as YAML in brackets. */
export function shop(routes: string, more = ''): string {
  return `services:\n  - { name: shop, host: shop.internal, routes: [${routes}] }\n${more}`;
}

/** A value from the environment, as a text of YAML. */
export function env(name: string, step = ''): string {
  return `'\${{ env "${name}" ${step}}}'`;
}
