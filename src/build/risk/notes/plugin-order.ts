import type { Entity } from '../../../model/entity.ts';
import { isJsonArray, isJsonObject, type Json, jsonEqual } from '../../../model/json.ts';
import { type Compared, noteInBase, noteInHead, pairsOf, placeOf } from '../compared.ts';
import type { RiskNote } from '../risk.ts';
import { countOf, namesOf } from '../wording.ts';
import { effectivePlugins } from './effective-plugins.ts';
import { pluginPriorities } from './plugin-priorities.ts';

/**
 * Notes about plugins that run in another order before the routes that have them, since `ordering` was written, changed
 * or dropped. Plugins that only one of the states has make no order another one.
 */
export function pluginOrderNotes(states: Compared): readonly RiskNote[] {
  if (!ordersAnything(states.base.entities.get('plugins')) && !ordersAnything(states.head.entities.get('plugins')))
    return [];
  const before = effectivePlugins(states.base);
  const after = effectivePlugins(states.head);
  const groups = new Map<
    string,
    { readonly message: string; readonly routes: Entity[]; readonly causes: Set<Entity> }
  >();
  for (const [then, now] of pairsOf('routes', states)) {
    const [had, has] = [before(then), after(now)];
    const isInBoth = (name: string) => had.has(name) && has.has(name);
    const [was, is] = [executionOrder(had).filter(isInBoth), executionOrder(has).filter(isInBoth)];
    const moved = was.filter((name, at) => is[at] !== name);
    if (moved.length === 0) continue;
    const message = `${is.filter((name) => moved.includes(name)).join(', ')} (before: ${moved.join(', ')})`;
    const group = groups.get(message) ?? { message, routes: [], causes: new Set() };
    groups.set(message, group);
    group.routes.push(now);
    for (const plugin of [...has.values(), ...had.values()]) if (isCause(plugin, states)) group.causes.add(plugin);
  }
  return [...groups.values()].map(({ message, routes, causes }) => {
    const where =
      routes.length === 1 ? `the route ${namesOf(routes)}` : `${countOf(routes.length, 'route')} (${namesOf(routes)})`;
    const text = `Plugins before ${where} run in another order: ${message}.`;
    const inHead = [...causes].filter((plugin) => states.head.byId('plugins', plugin.id) === plugin);
    return inHead.length > 0
      ? noteInHead(
          'plugin-order-changed',
          'warning',
          text,
          inHead.map((plugin) => placeOf(plugin, 'ordering')),
        )
      : noteInBase(
          'plugin-order-changed',
          'warning',
          text,
          [...causes].map((plugin) => placeOf(plugin, 'ordering')),
        );
  });
}

function ordersAnything(plugins: readonly Entity[] = []): boolean {
  return plugins.some(({ fields }) => isJsonObject(fields['ordering']));
}

/** Whether the `ordering` of a plugin is not as it is in the other state. */
function isCause(plugin: Entity, states: Compared): boolean {
  const other = states.head.byId('plugins', plugin.id) === plugin ? states.inBase(plugin) : states.inHead(plugin);
  return !jsonEqual(plugin.fields['ordering'] ?? null, other?.fields['ordering'] ?? null);
}

/**
 * The names of plugins in the order in which Kong runs them in its access phase: from the highest priority to the
 * lowest, each after all that has to come before it (Kong's documentation of dynamic ordering, the `legacy` way). Of
 * one whose priority is not known the place is not known; without an `ordering` around it, it is left out.
 */
function executionOrder(plugins: ReadonlyMap<string, Entity>): readonly string[] {
  const earlier = new Map<string, Set<string>>();
  const require = (name: string, first: string) => {
    const known = earlier.get(name);
    if (known === undefined) earlier.set(name, new Set([first]));
    else known.add(first);
  };
  for (const [name, { fields }] of plugins) {
    for (const other of accessNames(fields['ordering'], 'before')) require(other, name);
    for (const other of accessNames(fields['ordering'], 'after')) require(name, other);
  }
  const ordered = new Set([...earlier].flatMap(([name, firsts]) => [name, ...firsts]));
  const known = [...plugins.keys()].filter((name) => pluginPriorities.has(name) || ordered.has(name));
  const priority = (name: string) => pluginPriorities.get(name) ?? Number.MIN_SAFE_INTEGER;
  known.sort((a, b) => priority(b) - priority(a) || (a < b ? -1 : 1));
  const result: string[] = [];
  const seen = new Set<string>();
  const place = (name: string) => {
    if (seen.has(name) || !plugins.has(name)) return;
    seen.add(name);
    for (const first of known) if (earlier.get(name)?.has(first) === true) place(first);
    result.push(name);
  };
  known.forEach(place);
  return result;
}

function accessNames(ordering: Json | undefined, side: 'before' | 'after'): readonly string[] {
  const phases = isJsonObject(ordering) ? ordering[side] : undefined;
  const names = isJsonObject(phases) ? phases['access'] : undefined;
  return isJsonArray(names) ? names.filter((name) => typeof name === 'string') : [];
}
