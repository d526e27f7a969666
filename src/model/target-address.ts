import { isIPv6 } from 'node:net';

/** The port that Kong gives a target without one (kong.md: `t.test` becomes `t.test:8000`). */
const defaultPort = 8000;

/**
 * The normal form of an upstream target's address, as Kong stores it: `host:port`, port 8000 where none is given, an
 * IPv6 address in full and in brackets. A text that is no address is given back as it stands.
 */
export function normalTarget(address: string): string {
  const bracketed = /^\[([^\]]*)\](?::(\d+))?$/.exec(address);
  if (bracketed !== null) {
    const [, host = '', port] = bracketed;
    return isIPv6(host) ? `[${expandIPv6(host)}]:${port ?? defaultPort}` : address;
  }
  if (isIPv6(address)) return `[${expandIPv6(address)}]:${defaultPort}`;
  const colon = address.lastIndexOf(':');
  if (colon === -1) return `${address}:${defaultPort}`;
  return address;
}

/** An IPv6 address written as eight groups of four hexadecimal digits. */
function expandIPv6(address: string): string {
  const zoneless = address.replace(/%.*$/, '').toLowerCase();
  const withoutDotted = zoneless.replace(
    /(\d+)\.(\d+)\.(\d+)\.(\d+)$/,
    (_, a: string, b: string, c: string, d: string) => {
      const hex = (high: string, low: string) => (Number(high) * 256 + Number(low)).toString(16);
      return `${hex(a, b)}:${hex(c, d)}`;
    },
  );
  const [head = '', tail] = withoutDotted.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const middle = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...middle, ...after].map((group) => group.padStart(4, '0')).join(':');
}
