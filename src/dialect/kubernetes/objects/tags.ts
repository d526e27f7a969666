import type { KubeObject } from './kube-object.ts';

/** The annotation with tags of the user's own. */
export const tagsAnnotation = 'konghq.com/tags';

/**
 * The tags by which a controller marks what it makes of an object (kic.md 6.2), with the names of the rules of a route
 * that it was made of, and the user's own tags.
 */
export function tagsOf(object: KubeObject, ruleNames: readonly string[] = []): string[] {
  const own = (object.annotations.get(tagsAnnotation) ?? '').split(',').map((tag) => tag.trim());
  const tags = [
    `k8s-name:${object.name}`,
    object.namespace === '' ? '' : `k8s-namespace:${object.namespace}`,
    `k8s-kind:${object.kind}`,
    object.uid === '' ? '' : `k8s-uid:${object.uid}`,
    object.group === '' ? '' : `k8s-group:${object.group}`,
    `k8s-version:${object.version}`,
    ...ruleNames.map((name) => (name === '' ? '' : `k8s-named-route-rule:${name}`)),
    ...own,
  ];
  return [...new Set(tags.filter((tag) => tag !== ''))];
}

/** The tags of what no object stands behind. */
export const unknownTags: readonly string[] = [
  'k8s-name:UNKNOWN',
  'k8s-namespace:UNKNOWN',
  'k8s-kind:Service',
  'k8s-uid:00000000-0000-0000-0000-000000000000',
  'k8s-group:core',
  'k8s-version:v1',
];
