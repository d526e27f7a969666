import { createHash } from 'node:crypto';
import type { RawEntity } from '../../../model/assemble.ts';
import type { Json, JsonObject, JsonPath } from '../../../model/json.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { shownObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { isTrueAt, textAt, withoutUndefined } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { type PluginConfig, pluginConfig } from './plugin-config.ts';
import { rawEntity, refersTo, tagsPlace } from './raw.ts';

/** What a plugin can be for. */
export type ScopeField = 'service' | 'route' | 'consumer' | 'consumer_group';

/** One thing that a plugin is for: who names the plugin, and what the entity is called. */
export interface PluginTarget {
  readonly field: ScopeField;
  readonly name: string;
  readonly owner: KubeObject;
  readonly path: JsonPath;
}

/** All that one plugin is for. */
export interface PluginRelations {
  readonly plugin: KubeObject;
  readonly targets: PluginTarget[];
}

/** What finds the entity for a target; undefined where there is none. */
export type FindEntity = (target: PluginTarget) => RawEntity | undefined;

/** The configurations of plugins, each read once. */
export class PluginReader {
  readonly #to: Translation;
  readonly #known = new Map<KubeObject, PluginConfig | null>();

  constructor(to: Translation) {
    this.#to = to;
  }

  /** The configuration of a plugin, or null where it cannot be read. */
  configOf(plugin: KubeObject): PluginConfig | null {
    const known = this.#known.get(plugin);
    if (known !== undefined) return known;
    const config = pluginConfig(plugin, this.#to);
    this.#known.set(plugin, config);
    return config;
  }

  /** The plugin of an object for a scope, with an instance name that no other scope has. */
  entity(plugin: KubeObject, scope: readonly PluginTarget[], find: FindEntity): RawEntity | null {
    const read = this.configOf(plugin);
    const entities = scope.map((target) => ({ target, entity: find(target) }));
    if (read === null || entities.some(({ entity }) => entity === undefined)) return null;
    const fields = withoutUndefined({
      ...pluginFields(plugin, read.config),
      instance_name: instanceName(textAt(plugin.value, 'instance_name') ?? '', scope),
    });
    const references = entities.flatMap(({ target, entity }) =>
      entity === undefined ? [] : [refersTo(target.field, entity)],
    );
    const places = [
      ...placesOf(plugin),
      ...scope.map(({ field, owner, path }) => ({ field: [field], object: owner, path })),
    ];
    return rawEntity('plugins', plugin, fields, { references, places, secret: read.secret });
  }
}

/** The combinations in which a plugin is made: for consumers where there are any, else for groups, else for each alone. */
export function combinations(targets: readonly PluginTarget[]): readonly (readonly PluginTarget[])[] {
  const of = (field: ScopeField) => [
    ...new Map(targets.filter((target) => target.field === field).map((target) => [target.name, target])).values(),
  ];
  const traffic = [...of('service'), ...of('route')];
  const consumers = of('consumer');
  const holders = consumers.length > 0 ? consumers : of('consumer_group');
  if (holders.length === 0) return traffic.map((target) => [target]);
  if (traffic.length === 0) return holders.map((holder) => [holder]);
  return traffic.flatMap((target) => holders.map((holder) => [target, holder]));
}

/** The KongClusterPlugins that are for everything; of several with one plugin's name none can be chosen (kic.md 4.2, 21). */
export function globalPlugins(reader: PluginReader, to: Translation): readonly RawEntity[] {
  for (const object of to.store.list('KongPlugin')) {
    if (object.labels.get('global') !== 'true') continue;
    const message = `${shownObject(object)} has the label global, which has an effect on a KongClusterPlugin only`;
    const spot = { object, path: ['metadata', 'labels', 'global'] };
    to.findings.warning('kubernetes-global-plugin', spot, message, 'Make it a KongClusterPlugin, or remove the label.');
  }
  const byName = new Map<string, KubeObject>();
  const globals = to.classes.annotated('KongClusterPlugin', ({ labels }) => labels.get('global') === 'true');
  return globals.flatMap((object): readonly RawEntity[] => {
    const name = textAt(object.value, 'plugin') ?? '';
    const before = byName.get(name);
    if (before !== undefined) {
      const message = `${shownObject(object)} and ${shownObject(before)} both make the global plugin ${JSON.stringify(name)}`;
      const hint = 'Keep one of them; a controller would apply neither.';
      to.findings.error('kubernetes-global-plugin', { object }, message, hint, { others: [{ object: before }] });
      return [];
    }
    byName.set(name, object);
    const entity = reader.entity(object, [], () => undefined);
    return entity === null ? [] : [entity];
  });
}

function pluginFields(plugin: KubeObject, config: JsonObject): { [field: string]: Json | undefined } {
  const { value } = plugin;
  return {
    name: textAt(value, 'plugin') ?? '',
    config: Object.keys(config).length === 0 ? undefined : config,
    enabled: isTrueAt(value, 'disabled') ? false : undefined,
    protocols: value['protocols'],
    ordering: value['ordering'],
    run_on: textAt(value, 'run_on') || undefined,
    tags: tagsOf(plugin),
  };
}

function placesOf(plugin: KubeObject) {
  const same = ['config', 'protocols', 'ordering', 'run_on', 'instance_name'].map((field) => ({
    field: [field],
    object: plugin,
    path: [field],
  }));
  return [
    { field: ['name'], object: plugin, path: ['plugin'] },
    { field: ['enabled'], object: plugin, path: ['disabled'] },
    ...same,
    tagsPlace(plugin),
  ];
}

const scopeWords: { readonly [F in ScopeField]: string } = {
  service: '_service-',
  route: '_route-',
  consumer: '_consumer-',
  consumer_group: '_group-',
};

const scopeOrder: readonly ScopeField[] = ['service', 'route', 'consumer', 'consumer_group'];

/** An instance name is unique in Kong, so that of a plugin with a scope gets a suffix of its own (kic.md 6.10). */
function instanceName(name: string, scope: readonly PluginTarget[]): string | undefined {
  if (name === '') return undefined;
  if (scope.length === 0) return name;
  const parts = scopeOrder.flatMap((field) =>
    scope.filter((target) => target.field === field).map((target) => scopeWords[field] + target.name),
  );
  return `${name}-${createHash('sha256').update(parts.join(''), 'utf8').digest('hex').slice(0, 9)}`;
}
