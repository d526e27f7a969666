import { nearestWord } from '../../../model/suggest.ts';
import type { KubernetesFindings } from '../findings.ts';
import type { KubeObject } from './kube-object.ts';

const prefix = 'konghq.com/';

/** The annotations of Kong's that have an effect, without their prefix. */
const known = [
  'plugins',
  'protocol',
  'protocols',
  'client-cert',
  'path',
  'connect-timeout',
  'write-timeout',
  'read-timeout',
  'retries',
  'host-header',
  'upstream-policy',
  'tls-verify',
  'tls-verify-depth',
  'ca-certificates-secrets',
  'ca-certificates-configmaps',
  'strip-path',
  'preserve-host',
  'https-redirect-status-code',
  'regex-priority',
  'path-handling',
  'methods',
  'snis',
  'request-buffering',
  'response-buffering',
  'host-aliases',
  'headers-separator',
  'regex-prefix',
  'rewrite',
  'tags',
  'override',
  'gatewayclass-unmanaged',
  'publish-service',
];

/** Annotations of Kong's that nothing knows: a slip, which a controller would pass over and serve the object without. */
export function checkAnnotations(object: KubeObject, isServed: boolean, findings: KubernetesFindings): void {
  for (const annotation of object.annotations.keys()) {
    if (!annotation.startsWith(prefix)) continue;
    const name = annotation.slice(prefix.length);
    if (known.includes(name) || name.startsWith('headers.')) continue;
    const nearest = nearestWord(name, known);
    const hint =
      nearest === undefined ? 'Remove it, or correct its name.' : `Did you mean ${JSON.stringify(prefix + nearest)}?`;
    const spot = { object, path: ['metadata', 'annotations', annotation], part: 'key' } as const;
    const message = `The annotation ${annotation} has no effect`;
    // A slip in one that protects something would leave it open. Others may be of a newer controller.
    if (nearest !== undefined && isServed) findings.error('kubernetes-annotation', spot, message, hint);
    else findings.warning('kubernetes-annotation', spot, message, hint);
  }
}
