import type { PathFault } from '../config/explain.ts';
import { isMapping, valueAt } from '../config/tree.ts';
import { excludedKindFaults } from '../daemon/excluded-kinds.ts';
import { nearestWord } from '../model/suggest.ts';
import { findingNames, ruleGroups } from '../rules/registry.ts';

/**
 * What is wrong with the words of a configuration that only other parts know: rules and kinds of entities. A misspelt one
 * would change nothing and be taken for done.
 */
export function wordFaults(tree: unknown): readonly PathFault[] {
  return [...ruleFaults(valueAt(tree, ['rules'])), ...kindFaults(valueAt(tree, ['destinations']))];
}

function ruleFaults(rules: unknown): readonly PathFault[] {
  if (!isMapping(rules)) return [];
  return Object.keys(rules).flatMap((name): readonly PathFault[] => {
    if (findingNames.includes(name) || ruleGroups.includes(name)) return [];
    const near = nearestWord(name, findingNames);
    const hint = near === undefined ? '`konverge explain` lists them' : `Is it \`${near}\`?`;
    return [{ path: ['rules', name], message: 'is no rule', hint }];
  });
}

function kindFaults(destinations: unknown): readonly PathFault[] {
  if (!Array.isArray(destinations)) return [];
  return destinations.flatMap((destination: unknown, index): readonly PathFault[] => {
    const words = valueAt(destination, ['exclude', 'kinds']);
    return Array.isArray(words) ? excludedKindFaults(['destinations', index, 'exclude', 'kinds'], words) : [];
  });
}
