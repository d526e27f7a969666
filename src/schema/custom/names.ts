import { isIP, isIPv4 } from 'node:net';
import { isJsonArray } from '../../model/json.ts';
import type { FieldCheck } from '../check.ts';

/** Makes a check of texts: what is wrong, or null. Other values are no concern of it. */
export function ofText(problem: (text: string) => string | null, hint = ''): FieldCheck {
  return (value) => {
    const message = typeof value === 'string' ? problem(value) : null;
    return message === null ? null : { message, hint };
  };
}

/** A name of a service, route, key and the like: of ASCII, letters, digits and `.-_~`; beyond ASCII anything. */
export const entityName = ofText((text) =>
  /^[A-Za-z0-9.\-_~\u{80}-\u{10ffff}]*$/u.test(text) ? null : 'must consist of letters, digits and ".", "-", "_", "~"',
);

/** A tag: printable, without comma and slash, which have a meaning where tags are asked for. */
export const tag = ofText((text) =>
  /^[ -+\-.0-~\u{80}-\u{10ffff}]*$/u.test(text) ? null : 'must be printable, without "," and "/"',
);

/** A list of which no text stands twice. */
export const noDuplicates: FieldCheck = (value) =>
  isJsonArray(value) && new Set(value).size < value.length ? { message: 'must not name anything twice' } : null;

/** The name of an HTTP header. */
export const headerName = ofText((text) =>
  /^[A-Za-z0-9_-]+$/.test(text) ? null : 'must be a header name: letters, digits, "-" and "_"',
);

/** The name of a cookie (RFC 6265: a token). */
export const cookieName = ofText((text) =>
  /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text) ? null : 'must be a cookie name',
);

/** A host name as Kong takes it, without a port. */
export function isHostname(text: string): boolean {
  if (!/^[A-Za-z0-9._-]+$/.test(text)) return false;
  // Numbers are meant as an address.
  if (/^[\d.]+$/.test(text)) return isIPv4(text);
  const labels = text.split('.');
  if (labels.length > 1 && labels.at(-1) === '') labels.pop();
  return labels.every((label) => label !== '' && !label.endsWith('-'));
}

/** Whether a text ends with a port after a host. */
export function hasPort(text: string): boolean {
  return /^\[[^\]]*\]:\d+$|^[^:]+:\d+$/.test(text);
}

/** An IP address, in brackets or not. */
export function isAddress(text: string): boolean {
  return isIP(text.replace(/^\[(.*)\]$/, '$1')) !== 0;
}

/** A host name or address without a port (a service's host, a log server). */
export const host = ofText((text) => {
  if (hasPort(text)) return 'must not have a port';
  return isHostname(text) || isAddress(text) ? null : 'must be a host name or an IP address';
});

/** The name of an upstream: a host name, and neither an address nor with a port. */
export const upstreamName = ofText((text) => {
  if (isAddress(text)) return 'must be a host name, not an IP address';
  if (hasPort(text)) return 'must not have a port';
  return isHostname(text) ? null : 'must be a host name';
}, 'The name stands in the place of a host in a service, so it must look like one.');

/** A host that a route matches, which may have a wildcard as its first or last label, and a port. */
export const routeHost = ofText((text) => {
  const port = /:(\d+)$/.exec(text)?.[1];
  if (port !== undefined && Number(port) > 65535) return 'must have a port up to 65535';
  const plain = text.replace('*', 'wildcard').replace(/:\d+$/, '');
  return isHostname(plain) || isAddress(plain) ? null : 'must be a host name';
});

/** A server name of TLS, which may have one wildcard, at its left or right end; `*` alone is for every name. */
export const sni = ofText((text) => {
  const stars = text.split('*').length - 1;
  if (stars > 1) return 'must have one wildcard at most';
  if (stars === 1 && !/^\*|\*$/.test(text)) return 'must have its wildcard at the left or right end';
  if (isAddress(text)) return 'must be a host name, not an IP address';
  if (hasPort(text)) return 'must not have a port';
  return isHostname(text.replace('*', 'wildcard')) ? null : 'must be a host name';
});

/** An upstream's target: a host name or address, with or without a port. */
export const targetAddress = ofText((text) => {
  const port = /:(\d+)$/.exec(text)?.[1];
  if (isAddress(text)) return null;
  if (port !== undefined && Number(port) > 65535) return 'must have a port up to 65535';
  const bare = text.replace(/:\d+$/, '');
  return isHostname(bare) || isAddress(bare) ? null : 'must be a host name or an IP address, with or without a port';
});

/** An IP address, or a block of them (CIDR). */
export const addressOrBlock = ofText((text) => {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  const size = family === 4 ? 32 : 128;
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= size);
  return family !== 0 && fits && more.length === 0 ? null : 'must be an IP address or a CIDR block';
});
