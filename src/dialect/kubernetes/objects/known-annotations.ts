import type { KubernetesFindings } from '../findings.ts';
import { kongKeyMeant, kongNameMeant, kongPrefix } from './key-slips.ts';
import type { KubeObject } from './kube-object.ts';

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

/** The labels of Kong's that have an effect, without their prefix. */
const knownLabels = ['credential', 'ca-cert', 'validate', 'configmap'];

type Field = 'annotations' | 'labels';

/** A key of an object that was not written as what it was meant to be. */
interface Slip {
  readonly field: Field;
  readonly key: string;
  /** What it was meant to be; undefined where nobody can tell. */
  readonly meant: readonly [Field, string] | undefined;
}

/**
 * Annotations and labels of Kong's that nothing knows, stand under the other of the two, or are written with another
 * prefix: a slip, which a controller would pass over and serve the object without.
 */
export function checkAnnotations(object: KubeObject, isServed: boolean, findings: KubernetesFindings): void {
  for (const { field, key, meant } of slipsOf(object)) {
    const spot = { object, path: ['metadata', field, key], part: 'key' } as const;
    const message = `The ${field === 'labels' ? 'label' : 'annotation'} ${key} has no effect`;
    const hint = hintOf(field, meant);
    // What was meant is there too, as it is while a change from one controller to the next goes on.
    const isThere = meant !== undefined && object[meant[0]].get(meant[1]) === object[field].get(key);
    // A slip in one that protects something would leave it open. Others may be of a newer controller.
    if (meant !== undefined && isServed && !isThere) findings.error('kubernetes-annotation', spot, message, hint);
    else findings.warning('kubernetes-annotation', spot, message, hint);
  }
}

function hintOf(field: Field, meant: Slip['meant']): string {
  if (meant === undefined) return 'Remove it, or correct its name.';
  const [where, key] = meant;
  return where === field ? `Did you mean ${JSON.stringify(key)}?` : `Write ${key} under \`metadata.${where}\`.`;
}

function slipsOf(object: KubeObject): readonly Slip[] {
  const annotations = [...object.annotations.keys()].flatMap((key) => slipOf(object, 'annotations', key) ?? []);
  const labels = [...object.labels.keys()].flatMap((key) => slipOf(object, 'labels', key) ?? []);
  return [...annotations, ...labels];
}

function slipOf(object: KubeObject, field: Field, key: string): Slip | null {
  const [own, other] = field === 'annotations' ? [known, knownLabels] : [knownLabels, known];
  const otherField = field === 'annotations' ? 'labels' : 'annotations';
  if (field === 'annotations' && key.toLowerCase() === 'global' && object.kind === 'KongClusterPlugin') {
    return { field, key, meant: [otherField, 'global'] };
  }
  if (!key.startsWith(kongPrefix)) {
    const [mine, theirs] = [kongKeyMeant(key, own), kongKeyMeant(key, other)];
    if (mine !== undefined) return { field, key, meant: [field, mine] };
    return theirs === undefined ? null : { field, key, meant: [otherField, theirs] };
  }
  const name = key.slice(kongPrefix.length);
  if (own.includes(name) || (field === 'annotations' && name.startsWith('headers.'))) return null;
  if (other.includes(name) || name.startsWith('headers.')) return { field, key, meant: [otherField, key] };
  const [mine, theirs] = [kongNameMeant(name, own), kongNameMeant(name, other)];
  if (mine !== undefined) return { field, key, meant: [field, kongPrefix + mine] };
  if (theirs !== undefined) return { field, key, meant: [otherField, kongPrefix + theirs] };
  // Labels are for anybody to sort objects by, under this prefix too.
  return field === 'labels' ? null : { field, key, meant: undefined };
}
