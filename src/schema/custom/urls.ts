import { ofText } from './names.ts';

/** The parts of a URL as Kong's parser (luasocket's) takes them apart; what is missing is undefined. */
export interface UrlParts {
  readonly scheme?: string;
  readonly host?: string;
  readonly port?: string;
  readonly path?: string;
  readonly fragment?: string;
}

/** Takes a URL apart without judging it (RFC 2396). */
export function urlParts(text: string): UrlParts {
  const parts: { scheme?: string; host?: string; port?: string; path?: string; fragment?: string } = {};
  let rest = text;
  const fragment = /#(.*)$/s.exec(rest);
  if (fragment !== null) {
    parts.fragment = fragment[1] ?? '';
    rest = rest.slice(0, fragment.index);
  }
  const scheme = /^([A-Za-z0-9][A-Za-z0-9+\-.]*):/.exec(rest);
  if (scheme !== null) {
    parts.scheme = scheme[1] ?? '';
    rest = rest.slice(scheme[0].length);
  }
  const authority = /^\/\/([^/]*)/.exec(rest);
  if (authority !== null) {
    rest = rest.slice(authority[0].length);
    const place = (authority[1] ?? '').replace(/\?.*$/s, '').replace(/^[^@]*@/, '');
    const port = /:([^:\]]*)$/.exec(place);
    if (port !== null && port[1] !== '') parts.port = port[1] ?? '';
    const name = port === null ? place : place.slice(0, port.index);
    if (name !== '') parts.host = name;
  }
  const path = rest.replace(/[?;].*$/s, '');
  if (path !== '') parts.path = path;
  return parts;
}

/** A URL with a host. */
export const url = ofText((text) => {
  const { host, path } = urlParts(text);
  if (host === undefined) return 'must be a URL with a host';
  return path === undefined || path.startsWith('/') ? null : 'must be a URL';
});

/** Where an OAuth 2.0 client may be sent back to: an absolute URI without a fragment. */
export const redirectUri = ofText((text) => {
  const { scheme, host, path, fragment } = urlParts(text);
  if (scheme === undefined || (host === undefined && path === undefined)) return 'must be an absolute URI';
  return fragment === undefined ? null : 'must not have a fragment';
});
