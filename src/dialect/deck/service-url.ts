import type { Json } from '../../model/json.ts';

/** What a service's `url` stands for; `ignored` names the parts that Kong has no field for. */
export interface ServiceUrl {
  readonly fields: { readonly [field: string]: Json };
  readonly ignored: readonly string[];
}

/**
 * The protocol, host, port and path that a service's `url` stands for (deck.md 1.4: port 80 or 443 where none is
 * given, spaces in the path as `%20`), or what is wrong with it. The message does not quote the URL, which may hold a
 * password.
 */
export function parseServiceUrl(url: string): ServiceUrl | string {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(url);
  if (match === null) return 'the url has no scheme and host';
  const [, scheme = '', authority = '', path = '', query, fragment] = match;
  const at = authority.lastIndexOf('@');
  const place = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(authority.slice(at + 1));
  if (place === null) return 'the host and port of the url cannot be told apart';
  const [, bracketed = '', port = ''] = place;
  const host = bracketed.replace(/^\[(.*)\]$/, '$1');
  if (host === '') return 'the url has no host';
  const protocol = scheme.toLowerCase();
  const number = port === '' ? defaultPort(protocol) : Number(port);
  return {
    fields: {
      protocol,
      host,
      ...(number === null ? {} : { port: number }),
      ...(path === '' ? {} : { path: path.replaceAll(' ', '%20') }),
    },
    ignored: [
      ...(at === -1 ? [] : ['user name and password']),
      ...(query === undefined ? [] : ['query']),
      ...(fragment === undefined ? [] : ['fragment']),
    ],
  };
}

function defaultPort(protocol: string): number | null {
  if (protocol === 'http') return 80;
  return protocol === 'https' ? 443 : null;
}
