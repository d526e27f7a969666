import type { JsonPath } from '../../../model/json.ts';
import { nearestWord } from '../../../model/suggest.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import type { Translation } from '../translation.ts';

/** The annotation that lists the plugins of an object. */
export const pluginsAnnotation = 'konghq.com/plugins';

/** One plugin that an object is to have. */
export interface PluginReference {
  /** The KongPlugin or KongClusterPlugin. */
  readonly plugin: KubeObject;
  /** What its combinations are kept by: namespace and name, as the reference means them. */
  readonly key: string;
}

/** A plugin as an annotation names it: `name`, or `namespace:name`. */
export interface WrittenPlugin {
  readonly text: string;
  readonly path: JsonPath;
  /** Who wrote it: the object itself, or a facade in its name. */
  readonly owner: KubeObject;
}

/** The items of the annotation of an object. */
export function writtenPlugins(owner: KubeObject): readonly WrittenPlugin[] {
  const path = ['metadata', 'annotations', pluginsAnnotation];
  return (owner.annotations.get(pluginsAnnotation) ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((text) => ({ text, path, owner }));
}

/**
 * The plugin that is meant: a KongPlugin of the namespace, else a KongClusterPlugin; null where there is none, or no
 * grant for it. That is an error: a route without the plugin that protects it must not be served (kic.md 4.2, 19 and 20).
 */
export function resolvePlugin(written: WrittenPlugin, to: Translation): PluginReference | null {
  const { text, owner } = written;
  const colon = text.indexOf(':');
  if (colon !== -1) return resolveForeign(written, text.slice(0, colon).trim(), text.slice(colon + 1).trim(), to);
  const plugin = to.store.get('KongPlugin', owner.namespace, text) ?? to.store.get('KongClusterPlugin', '', text);
  if (plugin !== undefined) return { plugin, key: `${owner.namespace}:${text}` };
  const names = [
    ...to.store.list('KongPlugin').filter(({ namespace }) => namespace === owner.namespace),
    ...to.store.list('KongClusterPlugin'),
  ].map(({ name }) => name);
  const nearest = nearestWord(text, names);
  refuse(
    written,
    'kubernetes-missing-plugin',
    `${shownObject(owner)} is to have the plugin ${JSON.stringify(text)}, which is declared neither as a KongPlugin of its namespace nor as a KongClusterPlugin`,
    nearest === undefined
      ? 'Declare it, or correct the name; without it nothing of the object is served.'
      : `Did you mean ${JSON.stringify(nearest)}?`,
    to,
    to.store.list('KongPlugin').filter(({ name }) => name === text),
  );
  return null;
}

function resolveForeign(
  written: WrittenPlugin,
  namespace: string,
  name: string,
  to: Translation,
): PluginReference | null {
  const { owner } = written;
  const plugin = to.store.get('KongPlugin', namespace, name);
  if (plugin === undefined) {
    const message = `${shownObject(owner)} is to have the KongPlugin ${JSON.stringify(`${namespace}/${name}`)}, which is not declared`;
    const hint = 'Declare it, or correct the name; without it nothing of the object is served.';
    refuse(written, 'kubernetes-missing-plugin', message, hint, to);
    return null;
  }
  if (to.grants.allows(owner, { group: plugin.group, kind: plugin.kind, namespace, name })) {
    return { plugin, key: `${namespace}:${name}` };
  }
  refuse(
    written,
    'kubernetes-missing-grant',
    `No ReferenceGrant in the namespace ${JSON.stringify(namespace)} lets ${shownObject(owner)} use ${shownObject(plugin)}`,
    `Add a ReferenceGrant there from ${owner.kind} of the namespace ${JSON.stringify(owner.namespace)} to KongPlugin.`,
    to,
    [plugin],
  );
  return null;
}

function refuse(
  { owner, path }: WrittenPlugin,
  rule: 'kubernetes-missing-plugin' | 'kubernetes-missing-grant',
  message: string,
  hint: string,
  { findings }: Translation,
  others: readonly KubeObject[] = [],
): void {
  findings.error(rule, { object: owner, path }, message, hint, { others: others.map((object) => ({ object })) });
}
