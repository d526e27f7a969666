/** A part of a router expression: one comparison, or several that belong together. */
export type Matcher =
  | { readonly type: 'is'; readonly text: string }
  | { readonly type: 'and' | 'or'; readonly of: readonly Matcher[] };

const nothing: Matcher = { type: 'and', of: [] };

/** A comparison with a text. */
export function matchText(field: string, operator: '==' | '~' | '^=' | '=^', value: string): Matcher {
  return { type: 'is', text: `${field} ${operator} ${quoted(value)}` };
}

/** A comparison with a number. */
export function matchNumber(field: string, value: number): Matcher {
  return { type: 'is', text: `${field} == ${value}` };
}

/** All of several; what is empty is left out. */
export function allOf(...of: readonly (Matcher | null)[]): Matcher {
  return { type: 'and', of: of.filter((one) => one !== null).filter((one) => !isEmpty(one)) };
}

/** One of several; what is empty is left out. */
export function anyOf(...of: readonly (Matcher | null)[]): Matcher {
  return { type: 'or', of: of.filter((one) => one !== null).filter((one) => !isEmpty(one)) };
}

/** The expression of a matcher: every part of several in brackets (kic.md 6.8); empty for one that asks for nothing. */
export function expressionOf(matcher: Matcher): string {
  if (matcher.type === 'is') return matcher.text;
  const [first = nothing, ...others] = matcher.of;
  if (others.length === 0) return first === nothing ? '' : expressionOf(first);
  const parts = matcher.of.map((one) => `(${expressionOf(one)})`);
  return parts.join(matcher.type === 'and' ? ' && ' : ' || ');
}

/** The expression of what takes every HTTP request, since Kong takes no empty one. */
export const everyHttpRequest = '(net.protocol == "http") || (net.protocol == "https")';

function isEmpty(matcher: Matcher): boolean {
  return matcher.type !== 'is' && matcher.of.length === 0;
}

function quoted(value: string): string {
  const escaped = value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t');
  return `"${escaped}"`;
}

/** Host names that a route can have: `*` may stand for the first or the last label. */
export const hostPattern = /^(\*\.)?[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*(\.[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*)*(\.\*)?$/;

/** Names of servers that a TLS client can ask for. */
export const sniPattern = /^[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*(\.[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*)*$/;

/** One of several hosts; `*.x` is the end of one. */
export function matchHosts(hosts: readonly string[]): Matcher {
  return anyOf(
    ...hosts
      .filter((host) => hostPattern.test(host))
      .map((host) =>
        host.startsWith('*') ? matchText('http.host', '=^', host.slice(1)) : matchText('http.host', '==', host),
      ),
  );
}

/** One of several methods. */
export function matchMethods(methods: readonly string[]): Matcher {
  return anyOf(
    ...methods.filter((method) => /^[A-Z]+$/.test(method)).map((one) => matchText('http.method', '==', one)),
  );
}

/** One of several server names. */
export function matchSnis(snis: readonly string[]): Matcher {
  return anyOf(...snis.filter((sni) => sniPattern.test(sni)).map((sni) => matchText('tls.sni', '==', sni)));
}

/** A header of a name; a regular expression where `regex` is true. */
export function matchHeader(name: string, value: string, regex: boolean): Matcher {
  return matchText(`http.headers.${name.toLowerCase().replaceAll('-', '_')}`, regex ? '~' : '==', value);
}
