import { ConfigurationError } from '../config/configuration-error.ts';
import type { Configuration } from '../config/settings.ts';
import { scopeOf } from '../daemon/scope.ts';
import { nearestWord } from '../model/suggest.ts';
import { findingNames, ruleGroups } from '../rules/registry.ts';

/**
 * Checks the words of a configuration that only other parts know: rules and kinds of entities. A misspelt one would
 * change nothing and be taken for done. Throws ConfigurationError.
 */
export function checkWords(configuration: Configuration): void {
  for (const name of Object.keys(configuration.rules())) {
    if (findingNames.includes(name) || ruleGroups.includes(name)) continue;
    const near = nearestWord(name, findingNames);
    const hint = near === undefined ? '`konverge explain` lists them' : `Is it \`${near}\`?`;
    throw new ConfigurationError([{ key: `rules.${name}`, message: 'is no rule', hint, place: null }]);
  }
  for (const name of configuration.destinationNames) scopeOf(configuration, name);
}
