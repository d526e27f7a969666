import { isJsonArray, isJsonObject, type JsonObject } from '../../model/json.ts';
import type { Gateway } from '../state/gateway.ts';
import type { Draft } from './declarative-tree.ts';
import type { PlacedError } from './error-tree.ts';

/** The list in which a declarative configuration links plugins to partials. */
const list = 'plugins_partials';

/**
 * Puts the links of `plugins_partials` (plugin, partial, path) on their plugins, which is where a node shows them.
 * Changes the draft; gives what is wrong with links to what is not there. Where there are no partials, the list stays
 * and is refused as any field that there is not.
 */
export function linkPlugins(gateway: Gateway, input: Draft): readonly PlacedError[] {
  const links = input[list];
  if (!gateway.collections.has('partials') || !isJsonArray(links)) return [];
  delete input[list];
  const [plugins, partials] = [objectsIn(input, 'plugins'), objectsIn(input, 'partials')];
  return links.flatMap((link, index): readonly PlacedError[] => {
    if (!isJsonObject(link)) return [{ path: [list, index], error: 'expected a record' }];
    const plugin = plugins.find(({ id }) => id === link['plugin']);
    const partial = partials.find(({ id, name }) => id === link['partial'] || name === link['partial']);
    const missing = plugin === undefined ? 'plugin' : partial === undefined ? 'partial' : null;
    if (plugin === undefined || partial === undefined) {
      return [{ path: [list, index, missing ?? 'plugin'], error: 'it refers to what is not there' }];
    }
    const { path } = link;
    const made = { id: partial['id'] ?? null, ...(path === undefined ? {} : { path }) };
    const before = plugin['partials'];
    plugin['partials'] = isJsonArray(before) ? [...before, made] : [made];
    return [];
  });
}

function objectsIn(input: Draft, key: string): readonly Draft[] {
  const found = input[key];
  return isJsonArray(found) ? found.filter((one): one is JsonObject & Draft => isJsonObject(one)) : [];
}
