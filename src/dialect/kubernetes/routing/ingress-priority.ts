import type { KubeObject } from '../objects/kube-object.ts';
import type { IngressPath } from './ingress-paths.ts';
import { headersOf, hostAliasesOf, listOf } from './route-annotations.ts';

/** Where each part of a priority stands, in bits from the lowest (kic.md 6.8). Priorities need more than 32 bits. */
const bit = (position: number) => 2 ** position;

const largestPath = bit(16) - 1;
const largestHeaderCount = 255;
const ofIngress = 3 * bit(44);

/** The priority of an expression route of an Ingress: what a traditional router would look at first counts most. */
export function ingressPriority(
  ingress: KubeObject,
  host: string,
  paths: readonly IngressPath[],
  marker: string,
): number {
  const hosts = [...(host === '' ? [] : [host]), ...hostAliasesOf(ingress)];
  const headers = headersOf(ingress).size;
  const [methods, snis] = [listOf(ingress, 'methods').length, listOf(ingress, 'snis').length];
  const fields = [paths.length, hosts.length, headers, methods, snis].filter((count) => count > 0).length;
  const isPlain = hosts.length > 0 && hosts.every((one) => !one.startsWith('*'));
  const lengths = paths.map((path) => lengthOf(path, marker));
  return (
    ofIngress +
    fields * bit(41) +
    Math.min(headers, largestHeaderCount) * bit(33) +
    (isPlain ? bit(32) : 0) +
    (paths.some((path) => isRegex(path, marker)) ? bit(16) : 0) +
    lengths.reduce((most, length) => Math.min(Math.max(most, length), largestPath), 0)
  );
}

function isRegex({ path, type }: IngressPath, marker: string): boolean {
  return type === 'Exact' || type === 'Prefix' || path.startsWith(marker);
}

/** How long a path counts, in bytes. */
function lengthOf({ path, type }: IngressPath, marker: string): number {
  switch (type) {
    case 'Exact':
      return 1 + bytes(path.replace(/^\/+/, ''));
    case 'Prefix': {
      const base = path.replace(/^\/+|\/+$/g, '');
      return base === '' ? 1 : 2 + bytes(base);
    }
    default:
      return bytes(path.startsWith(marker) ? path.slice(marker.length) : path);
  }
}

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
