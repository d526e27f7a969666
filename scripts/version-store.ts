import type { Doc } from './served-facts.ts';

export function buildVersionStore(_versions: unknown, _served: { [plugin: string]: Doc }): unknown {
  return {};
}
