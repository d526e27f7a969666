import { findRaw, type RawEntity, rawLookup } from '../model/assemble.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { isJsonArray } from '../model/json.ts';
import type { LeftOutHere } from '../rules/rule.ts';
import { isAuthentication } from '../rules/security/authentication.ts';
import type { Scope } from './built.ts';

/** Plugins that keep people out without asking who they are, or after it was asked. */
const keepers: ReadonlySet<string> = new Set(['acl', 'bot-detection', 'ip-restriction', 'opa', 'request-termination']);

/** So many routes, or plugins, are named. */
const mostNames = 3;

/**
 * Warnings about plugins that keep people out and that the destination is not given, for its `exclude`, while routes that
 * they are for go out: one for each plugin with an excluded tag, one in all where plugins are no part of it.
 */
export function excludedProtection(
  raw: readonly RawEntity[],
  out: LeftOutHere['entities'],
  scope: Scope,
): readonly Diagnostic[] {
  const gone: ReadonlySet<unknown> = new Set(out);
  const isOut = (entity: RawEntity) => gone.has(entity);
  if (gone.size === 0) return [];
  const lookup = rawLookup(raw);
  const to = (entity: RawEntity, field: string) => {
    const reference = entity.references.find((one) => one.field === field);
    return reference === undefined ? null : (findRaw(lookup, entity.kind, reference) ?? undefined);
  };
  const routes = raw.filter((entity) => entity.kind === 'routes' && !isOut(entity));
  const routesOf = (plugin: RawEntity): readonly RawEntity[] => {
    const [route, service] = [to(plugin, 'route'), to(plugin, 'service')];
    if (route === undefined || service === undefined) return [];
    if (route !== null) return isOut(route) ? [] : [route];
    return service === null ? routes : routes.filter((one) => to(one, 'service') === service);
  };
  const lost = raw
    .filter((plugin) => plugin.kind === 'plugins' && isOut(plugin) && isKeeper(plugin))
    .map((plugin) => ({ plugin, open: routesOf(plugin) }))
    .filter(({ open }) => open.length > 0);
  if (scope.excludeKinds.includes('plugins')) return lost.length === 0 ? [] : [ofKind(lost)];
  return lost.flatMap(({ plugin, open }) => {
    const tag = tagsOf(plugin).find((one) => scope.excludeTags.includes(one));
    return tag === undefined ? [] : [ofTag(plugin, tag, open)];
  });
}

interface Lost {
  readonly plugin: RawEntity;
  readonly open: readonly RawEntity[];
}

function ofKind(lost: readonly Lost[]): Diagnostic {
  const plugins = lost.map(({ plugin }) => JSON.stringify(plugin.fields['name']));
  const open = [...new Set(lost.flatMap((one) => one.open))];
  return warning(
    `exclude.kinds leaves out plugins that keep people out (${listed([...new Set(plugins)])}), while what they are for goes out: ${routesText(open)}.`,
    'Nothing is wrong where somebody else looks after the plugins there. Otherwise leave the routes out as well.',
    lost.flatMap(({ plugin }) => plugin.source?.location ?? []).slice(0, 1),
  );
}

function ofTag(plugin: RawEntity, tag: string, open: readonly RawEntity[]): Diagnostic {
  return warning(
    `exclude.tags leaves out the plugin ${JSON.stringify(plugin.fields['name'])} for its tag ${JSON.stringify(tag)}, while what it keeps people out of goes out: ${routesText(open)}.`,
    'Give the route or the service the tag, so that it is left out as well, or take the tag from the plugin.',
    [plugin, ...open.slice(0, mostNames)].flatMap(({ source }) => source?.location ?? []),
  );
}

function warning(message: string, hint: string, locations: Diagnostic['locations']): Diagnostic {
  return { rule: 'protection-excluded', severity: 'warning', message, hint, locations, entities: [] };
}

function isKeeper(plugin: RawEntity): boolean {
  const { name, enabled } = plugin.fields;
  return enabled !== false && typeof name === 'string' && (isAuthentication(plugin) || keepers.has(name));
}

function tagsOf({ fields }: RawEntity): readonly string[] {
  const { tags } = fields;
  return isJsonArray(tags) ? tags.filter((tag) => typeof tag === 'string') : [];
}

function routesText(open: readonly RawEntity[]): string {
  const names = open.map(({ fields: { name } }) =>
    typeof name === 'string' ? JSON.stringify(name) : 'one without a name',
  );
  return `${open.length === 1 ? 'the route' : 'the routes'} ${listed(names)}`;
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNames;
  return `${names.slice(0, mostNames).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
