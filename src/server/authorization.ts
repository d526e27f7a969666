import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether a request carries the token: as a bearer, or as the password of Basic authorization, which is how a browser
 * asks for it. Compared in constant time.
 */
export function authorized(header: string | undefined, token: string): boolean {
  if (header === undefined) return false;
  const [scheme = '', credentials = ''] = header.split(/\s+/, 2);
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return same(credentials, token);
    case 'basic': {
      const decoded = Buffer.from(credentials, 'base64').toString('utf8');
      return same(decoded.slice(decoded.indexOf(':') + 1), token);
    }
    default:
      return false;
  }
}

/** Whether an address is only reachable from this machine. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

function same(a: string, b: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}
