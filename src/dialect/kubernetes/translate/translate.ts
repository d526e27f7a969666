import type { RawEntity } from '../../../model/assemble.ts';
import { compare, type KubeObject, shownObject } from '../objects/kube-object.ts';
import { addGrpcRoutes } from '../routing/grpc-routes.ts';
import { addHttpRoutes } from '../routing/http-routes.ts';
import { addIngresses } from '../routing/ingress.ts';
import { addKongL4 } from '../routing/kong-l4.ts';
import { type KongRoute, KongServices } from '../routing/kong-service.ts';
import { addL4Routes } from '../routing/l4-routes.ts';
import { applyRouteAnnotations } from '../routing/route-annotations.ts';
import type { Translation } from '../translation.ts';
import { caCertificates } from './ca-certificates.ts';
import { Certificates } from './certificates.ts';
import { accessEntities, consumerName } from './consumers.ts';
import { customEntities } from './custom-entities.ts';
import { pluginsAnnotation, resolvePlugin, type WrittenPlugin, writtenPlugins } from './plugin-references.ts';
import { combinations, globalPlugins, PluginReader, type PluginRelations, type PluginTarget } from './plugins.ts';
import { type ResolvedService, resolveServices } from './resolve-services.ts';
import { applyServiceAnnotations } from './service-annotations.ts';
import { licenses, vaults } from './settings-entities.ts';
import { TrafficEmitter } from './traffic.ts';

/** What the objects of a translation come to. */
export interface Translated {
  readonly raw: readonly RawEntity[];
  /** Plugins that nothing uses, each as it would be for everything. */
  readonly unused: readonly RawEntity[];
}

/** All entities that the objects of a translation come to (kic.md 6.1). */
export function translate(to: Translation): Translated {
  to.gateways.checkListeners();
  const services = new KongServices();
  addIngresses(services, to);
  addKongL4(services, to);
  addHttpRoutes(services, to);
  addL4Routes(services, to);
  addGrpcRoutes(services, to);
  const resolved = resolveServices(services.all, to);
  for (const { kong, views } of resolved) {
    for (const view of views) applyServiceAnnotations(kong, view, to.findings);
    for (const route of kong.routes) applyRouteAnnotations(route, to.settings.expressionRoutes, to.findings);
  }
  const reader = new PluginReader(to);
  const relations = pluginRelations(resolved, to);
  const certificates = new Certificates(to);
  const traffic = new TrafficEmitter(certificates, to).emit(resolved);
  const access = accessEntities(to);
  const find = (target: PluginTarget): RawEntity | undefined => {
    switch (target.field) {
      case 'service':
        return traffic.services.get(target.name);
      case 'route':
        return traffic.routes.get(target.name);
      case 'consumer':
        return access.consumers.get(target.owner);
      case 'consumer_group':
        return access.groups.get(target.owner);
    }
  };
  const plugins = [...relations.values()].flatMap(({ plugin, targets }) =>
    combinations(targets.filter((target) => find(target) !== undefined)).flatMap(
      (scope) => reader.entity(plugin, scope, find) ?? [],
    ),
  );
  const serviceOf = ({ name, owner, path }: PluginTarget): PluginTarget | undefined => {
    const service = traffic.serviceOfRoute.get(name);
    return service === undefined ? undefined : { field: 'service', name: service, owner, path };
  };
  const global = globalPlugins(reader, to);
  const raw = [
    ...traffic.entities,
    ...access.entities,
    ...plugins,
    ...global,
    ...customEntities({ relations, find, serviceOf }, to),
    ...certificates.entities(),
    ...caCertificates(to),
    ...vaults(to),
    ...licenses(to),
  ].sort(byKindAndPlace);
  const inUse = new Set([...relations.values()].map(({ plugin }) => plugin));
  const written = [...to.store.list('KongPlugin'), ...to.store.list('KongClusterPlugin')];
  const unused = written
    .filter((plugin) => !inUse.has(plugin) && plugin.labels.get('global') !== 'true' && !to.findings.isBroken(plugin))
    .flatMap((plugin) => reader.entity(plugin, [], () => undefined) ?? []);
  return { raw, unused };
}

/** An order that does not depend on that of the files, so that what is made of them is the same bytes. */
function byKindAndPlace(a: RawEntity, b: RawEntity): number {
  return compare(a.kind, b.kind);
}

/** What each plugin is for, by namespace and name as references mean it. */
function pluginRelations(services: readonly ResolvedService[], to: Translation): ReadonlyMap<string, PluginRelations> {
  const relations = new Map<string, PluginRelations>();
  const add = (written: WrittenPlugin, target: Omit<PluginTarget, 'owner' | 'path'>, owner: KubeObject) => {
    const found = resolvePlugin(written, to);
    if (found === null) return;
    const relation = relations.get(found.key) ?? { plugin: found.plugin, targets: [] };
    relations.set(found.key, relation);
    relation.targets.push({ ...target, owner, path: written.path });
  };
  for (const { kong, views } of services) {
    for (const view of views) {
      const owner = view.ownerOf(pluginsAnnotation);
      for (const written of writtenPlugins(owner)) add(written, { field: 'service', name: kong.name }, owner);
    }
    for (const route of kong.routes) {
      for (const written of pluginsOf(route)) add(written, { field: 'route', name: route.name }, route.owner);
    }
  }
  for (const owner of to.classes.annotated('KongConsumer')) {
    const name = consumerName(owner);
    if (name === null) continue;
    for (const written of writtenPlugins(owner)) add(written, { field: 'consumer', name }, owner);
  }
  for (const owner of to.classes.annotated('KongConsumerGroup')) {
    for (const written of writtenPlugins(owner)) add(written, { field: 'consumer_group', name: owner.name }, owner);
  }
  for (const { plugin, targets } of relations.values()) tellDropped(plugin, targets, to);
  return relations;
}

/** The plugins of a route: of its object's annotation, and of the filters of its rule. */
function pluginsOf({ owner, extensions }: KongRoute): readonly WrittenPlugin[] {
  return [...writtenPlugins(owner), ...extensions.map(({ name, path }) => ({ text: name, path, owner }))];
}

/** Kong has no plugin for a consumer and a group at once, so that for groups is not made. */
function tellDropped(plugin: KubeObject, targets: readonly PluginTarget[], { findings }: Translation): void {
  const group = targets.find(({ field }) => field === 'consumer_group');
  const consumer = targets.find(({ field }) => field === 'consumer');
  if (group === undefined || consumer === undefined) return;
  findings.warning(
    'kubernetes-plugin',
    { object: group.owner, path: group.path },
    `${shownObject(plugin)} is for consumers and for groups, and what is for groups is not made`,
    'Make a plugin of its own for the groups.',
    { others: [{ object: consumer.owner, path: consumer.path }, { object: plugin }] },
  );
}
