import type { Translation } from '../translation.ts';
import type { KongRoute } from './kong-service.ts';

const annotation = 'konghq.com/rewrite';

/** Carries out the annotation `konghq.com/rewrite` of an Ingress: the plugin request-transformer on its routes. */
export function addRewrite(route: KongRoute, { settings, findings }: Translation): void {
  const { owner } = route;
  const written = owner.annotations.get(annotation);
  if (written === undefined) return;
  const path = ['metadata', 'annotations', annotation];
  if (!settings.rewriteUris) {
    const hint = 'Set kubernetes.rewriteUris to true in the configuration, or remove the annotation.';
    findings.error('kubernetes-switched-off', { object: owner, path }, 'Rewriting of URIs is switched off', hint);
    return;
  }
  const uri = rewriteUri(written === '' ? '/' : written);
  if (uri === null) {
    const hint = 'After `$` comes the number of a group, and a dollar sign of its own is written `\\$`.';
    findings.error('kubernetes-annotation', { object: owner, path }, 'This is no URI to rewrite to', hint);
    return;
  }
  route.made.push({ name: 'request-transformer', config: { replace: { uri } }, tags: null, owner, path });
}

/** The URI with its groups (`$1`) as the plugin has them; null where a sign stands alone. */
export function rewriteUri(text: string): string | null {
  if (/\\(?!\$)/.test(text)) return null;
  if (/(?<!\\)\$(?!\d)/.test(text)) return null;
  return text.replace(/\\\$|\$(\d+)/g, (_, group: string | undefined) =>
    group === undefined ? '$' : `$(uri_captures[${group}])`,
  );
}
