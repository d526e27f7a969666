import type { RawEntity, RawReference } from '../../../model/assemble.ts';
import { isJsonObject, type Json, setOwn } from '../../../model/json.ts';
import type { ForeignKey, KindName } from '../../../model/kind.ts';
import { kinds } from '../../../model/kinds.ts';
import { type KubeObject, objectKey, shownObject } from '../objects/kube-object.ts';
import { objectAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import type { FindEntity, PluginRelations, PluginTarget } from './plugins.ts';
import { rawEntity, refersTo } from './raw.ts';

/** What resources of their own make, so that no custom entity can (kic.md 4.5, 60). */
const ownKinds = ['services', 'routes', 'upstreams', 'targets', 'consumers', 'consumer_groups', 'plugins'];

/** The kinds that a custom entity can be bound to by the plugin that it belongs to. */
const bindable: { readonly [K in KindName]?: PluginTarget['field'] } = {
  services: 'service',
  routes: 'route',
  consumers: 'consumer',
};

/** What custom entities are bound with. */
export interface Bindings {
  readonly relations: ReadonlyMap<string, PluginRelations>;
  readonly find: FindEntity;
  /** The service of a route, for entities that need one while their plugin is for a route. */
  readonly serviceOf: (route: PluginTarget) => PluginTarget | undefined;
}

/**
 * The entities of KongCustomEntities (kic.md 6.10), bound to what their plugin is for. One whose plugin is for nothing
 * that it could be bound to is left out: unbound it would hold for everything.
 */
export function customEntities(bindings: Bindings, to: Translation): readonly RawEntity[] {
  const objects = to.classes.customEntities();
  if (!to.settings.customEntities) {
    for (const object of objects) {
      const message = `KongCustomEntity is switched off, so ${shownObject(object)} is left out`;
      const hint = 'Set kubernetes.customEntities to true in the configuration.';
      to.findings.warning('kubernetes-switched-off', { object }, message, hint, {
        condition: ['Programmed', 'Invalid'],
      });
    }
    return [];
  }
  return objects.flatMap((object) => entitiesOf(object, bindings, to));
}

function entitiesOf(object: KubeObject, bindings: Bindings, to: Translation): readonly RawEntity[] {
  const kind = kindOf(object, to);
  const fields = objectAt(object.value, 'spec', 'fields');
  if (kind === null || fields === null) return [];
  const { foreign } = kinds[kind];
  const plain: { [field: string]: Json } = {};
  const written: RawReference[] = [];
  for (const [field, value] of Object.entries(fields)) {
    const key = foreign.find((candidate) => candidate.field === field);
    const reference = key === undefined ? null : referenceOf(field, value);
    if (reference === null) setOwn(plain, field, value);
    else written.push(reference);
  }
  const places = [{ field: [], object, path: ['spec', 'fields'] }];
  const make = (references: readonly RawReference[]) =>
    rawEntity(kind, object, plain, { places, references: [...written, ...references] });
  const parent = objectAt(object.value, 'spec', 'parentRef');
  if (parent === null) return [make([])];
  const plugin = parentPlugin(object, to);
  if (plugin === null) return [];
  const open = foreign.filter(({ kind: of, field }) => bindable[of] !== undefined && !(field in fields));
  if (open.length === 0) return [make([])];
  const bound = bindingsFor(plugin, open, bindings);
  if (bound.length > 0) return bound.map(make);
  to.findings.warning(
    'kubernetes-custom-entity',
    { object, path: ['spec', 'parentRef'] },
    `${shownObject(object)} is left out, for ${shownObject(plugin)} is for nothing that it could belong to`,
    'Attach the plugin to a route or a Service. A controller would make the entity without what it belongs to.',
    { others: [{ object: plugin }], condition: ['Programmed', 'Invalid'] },
  );
  return [];
}

function kindOf(object: KubeObject, { findings }: Translation): KindName | null {
  const type = textAt(object.value, 'spec', 'type') ?? '';
  const spot = { object, path: ['spec', 'type'] };
  if (ownKinds.includes(type)) {
    // The rules of the kind say so too, where an API server is minded.
    if (!findings.isBroken(object)) {
      findings.error('kubernetes-custom-entity', spot, `There are resources of their own for ${type}`, 'Use them.');
    }
    return null;
  }
  if (isKind(type)) return type;
  const hint = `Known are ${Object.keys(kinds)
    .filter((kind) => !ownKinds.includes(kind))
    .join(', ')}.`;
  findings.error(
    'kubernetes-custom-entity',
    spot,
    `Nothing is known of entities of the type ${JSON.stringify(type)}`,
    hint,
  );
  return null;
}

function isKind(type: string): type is KindName {
  return Object.hasOwn(kinds, type);
}

function referenceOf(field: string, value: Json): RawReference | null {
  if (typeof value === 'string') return { field, index: null, to: { nameOrId: value } };
  if (!isJsonObject(value)) return null;
  const [id, name] = [textAt(value, 'id'), textAt(value, 'name')];
  if (id !== null) return { field, index: null, to: { id } };
  return name === null ? null : { field, index: null, to: { name } };
}

function parentPlugin(object: KubeObject, to: Translation): KubeObject | null {
  const parent = objectAt(object.value, 'spec', 'parentRef') ?? {};
  const kind = textAt(parent, 'kind') ?? 'KongPlugin';
  const name = textAt(parent, 'name') ?? '';
  const namespace = kind === 'KongClusterPlugin' ? '' : (textAt(parent, 'namespace') ?? object.namespace);
  const plugin = to.store.get(kind, namespace, name);
  const spot = { object, path: ['spec', 'parentRef'] };
  if (plugin === undefined || (kind !== 'KongPlugin' && kind !== 'KongClusterPlugin')) {
    const message = `${shownObject(object)} belongs to the ${kind} ${JSON.stringify(name)}, which is not declared`;
    to.findings.error('kubernetes-custom-entity', spot, message, 'Declare the plugin, or correct the reference.');
    return null;
  }
  const { group } = plugin;
  if (kind === 'KongClusterPlugin' || to.grants.allows(object, { group, kind, namespace, name })) return plugin;
  const message = `No ReferenceGrant in the namespace ${JSON.stringify(namespace)} lets ${shownObject(object)} use ${shownObject(plugin)}`;
  const hint = 'Add a ReferenceGrant there from KongCustomEntity to KongPlugin.';
  to.findings.error('kubernetes-missing-grant', spot, message, hint, { others: [{ object: plugin }] });
  return null;
}

/** The references of each entity: one for every combination of what the plugin is for. */
function bindingsFor(
  plugin: KubeObject,
  open: readonly ForeignKey[],
  { relations, find, serviceOf }: Bindings,
): readonly (readonly RawReference[])[] {
  const key = objectKey(plugin);
  const targets = [...relations.values()].filter((one) => objectKey(one.plugin) === key).flatMap((one) => one.targets);
  let made: readonly (readonly RawReference[])[] = [[]];
  for (const { field, kind, required } of open) {
    const direct = targets.filter((target) => target.field === bindable[kind]);
    const wanted =
      direct.length > 0 || kind !== 'services'
        ? direct
        : targets.filter((target) => target.field === 'route').flatMap((route) => serviceOf(route) ?? []);
    const entities = [...new Map(wanted.map((target) => [target.name, find(target)])).values()].filter(
      (entity) => entity !== undefined,
    );
    if (entities.length === 0 && required) return [];
    if (entities.length > 0) made = made.flatMap((before) => entities.map((one) => [...before, refersTo(field, one)]));
  }
  return made.some((references) => references.length > 0) ? made : [];
}
