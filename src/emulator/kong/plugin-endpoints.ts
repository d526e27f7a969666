import { type Answer, answer, methodNotAllowed, notFound } from '../http/answers.ts';
import type { Gateway } from '../state/gateway.ts';

/**
 * Answers the paths that plugins add to the Admin API (a real Kong's `/endpoints` lists them); null for any other.
 * Nothing is proxied here, so no cache holds anything, and nothing is ordered from a certificate authority.
 */
export function handlePluginEndpoints(gateway: Gateway, method: string, segments: readonly string[]): Answer | null {
  const [first, second, third, fourth, more] = segments;
  if (more !== undefined) return null;
  switch (first) {
    case 'proxy-cache':
      return fourth === undefined || third === 'caches' ? cached(method, second, third, fourth) : null;
    case 'acme':
      if (second === undefined) return acme(gateway, method);
      if (second !== 'certificates' || fourth !== undefined) return null;
      if (method !== 'GET') return methodNotAllowed;
      return third === undefined && hasPlugin(gateway, 'acme') ? answer(200, { data: [], next: null }) : notFound;
    case 'metrics':
      if (second !== undefined) return null;
      return method === 'GET' ? answer(200, '', { 'Content-Type': 'text/plain' }) : methodNotAllowed;
    default:
      return null;
  }
}

function cached(
  method: string,
  key: string | undefined,
  caches: string | undefined,
  entry: string | undefined,
): Answer | null {
  if (key === undefined) return method === 'DELETE' ? answer(204) : methodNotAllowed;
  if (caches !== undefined && entry === undefined) return null;
  return method === 'GET' || method === 'DELETE' ? notFound : methodNotAllowed;
}

function acme(gateway: Gateway, method: string): Answer {
  if (method === 'PATCH') return answer(202, { message: 'renewing what there is: nothing' });
  if (method !== 'POST') return methodNotAllowed;
  return hasPlugin(gateway, 'acme') ? answer(400, { message: 'nothing is ordered by an emulator' }) : notFound;
}

function hasPlugin(gateway: Gateway, name: string): boolean {
  return gateway.store.all('plugins').some((plugin) => plugin['name'] === name);
}
