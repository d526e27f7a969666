import type { Entity } from '../../model/entity.ts';
import { canonicalJson, isJsonArray, isJsonObject, type Json } from '../../model/json.ts';
import { textOf, textsOf } from '../fields.ts';

/** A host that a route matches: a whole name, or a wildcard at its start or end; `port` where one is given. */
export interface HostMatch {
  readonly text: string;
  readonly port: string | null;
  readonly wildcard: 'none' | 'start' | 'end';
}

/** A path that a route matches. */
export interface PathMatch {
  /** As written. */
  readonly text: string;
  readonly regex: boolean;
  /** What every matching path starts with. */
  readonly prefix: string;
  /** Whether every path that starts so matches. */
  readonly wholePrefix: boolean;
}

/** What a route matches, in a form to compare. A list that is null leaves its part open. */
export interface RouteMatch {
  readonly route: Entity;
  readonly stream: boolean;
  readonly protocols: readonly string[];
  readonly hosts: readonly HostMatch[] | null;
  readonly paths: readonly PathMatch[] | null;
  readonly methods: readonly string[] | null;
  /** Lower-case names with their lower-case values, which Kong compares without regard to case. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly snis: readonly string[] | null;
  readonly sources: readonly string[] | null;
  readonly destinations: readonly string[] | null;
  readonly regexPriority: number;
  readonly expression: string | null;
  readonly priority: number;
}

const streamProtocols = ['tcp', 'tls', 'udp', 'tls_passthrough'];

/** What a route matches. */
export function routeMatch(route: Entity): RouteMatch {
  const protocols = textsOf(route, 'protocols');
  const { fields } = route;
  return {
    route,
    stream: protocols.some((protocol) => streamProtocols.includes(protocol)),
    // Kong's default.
    protocols: sorted(protocols.length === 0 ? ['http', 'https'] : protocols),
    hosts: orNull(sorted(textsOf(route, 'hosts').map((host) => host.toLowerCase())).map(hostMatch)),
    paths: orNull(sorted(textsOf(route, 'paths')).map(pathMatch)),
    methods: orNull(sorted(textsOf(route, 'methods'))),
    headers: headersOf(fields['headers']),
    snis: orNull(sorted(textsOf(route, 'snis').map((sni) => sni.toLowerCase().replace(/\.$/, '')))),
    sources: orNull(addresses(fields['sources'])),
    destinations: orNull(addresses(fields['destinations'])),
    regexPriority: numberOf(fields['regex_priority']),
    expression: textOf(route, 'expression'),
    priority: numberOf(fields['priority']),
  };
}

/** The parts of a match as one text: two routes with equal texts match the same. */
export function matchKey(match: RouteMatch): string {
  const { hosts, paths } = match;
  return canonicalJson([
    match.protocols,
    match.expression,
    hosts?.map((host) => `${host.text}:${host.port ?? ''}`) ?? null,
    paths?.map((path) => path.text) ?? null,
    match.methods,
    [...match.headers].map(([name, values]) => [name, values]),
    match.snis,
    match.sources,
    match.destinations,
  ]);
}

/** Whether a route says anything of what it matches. */
export function isOpen(match: RouteMatch): boolean {
  const { hosts, paths, methods, headers, snis, sources, destinations, expression } = match;
  return (
    [hosts, paths, methods, snis, sources, destinations, expression].every((part) => part === null) &&
    headers.size === 0
  );
}

function hostMatch(written: string): HostMatch {
  const [, name = written, port = null] = /^([^:]*):(\d+)$/.exec(written) ?? [];
  const wildcard = name.startsWith('*') ? 'start' : name.endsWith('*') ? 'end' : 'none';
  return { text: name, port, wildcard };
}

const special = /[\\^$.|?*+()[\]{}]/;

function pathMatch(text: string): PathMatch {
  if (!text.startsWith('~')) return { text, regex: false, prefix: text, wholePrefix: true };
  const pattern = text.slice(1).replace(/^\^/, '');
  const { literal, rest } = leadingLiteral(pattern);
  // Kong anchors a regular expression at its start only.
  const wholePrefix = /^(?:\.\*|\(\.\*\))?\$?$/.test(rest) && rest !== '$';
  return { text, regex: true, prefix: literal, wholePrefix };
}

/** The characters at the start of a pattern that stand for themselves. */
function leadingLiteral(pattern: string): { readonly literal: string; readonly rest: string } {
  let literal = '';
  let at = 0;
  // A pattern with alternatives outside of groups starts in more than one way.
  if (hasOuterAlternatives(pattern)) return { literal: '', rest: pattern };
  while (at < pattern.length) {
    const char = pattern[at] ?? '';
    const next = pattern[at + 1] ?? '';
    const escaped = char === '\\' && /[^0-9A-Za-z]/.test(next);
    const length = escaped ? 2 : 1;
    if (special.test(char) && !escaped) break;
    if (/[?*+{]/.test(pattern[at + length] ?? '')) break;
    literal += escaped ? next : char;
    at += length;
  }
  return { literal, rest: pattern.slice(at) };
}

function hasOuterAlternatives(pattern: string): boolean {
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    if (char === '\\') at += 1;
    else if (char === '(') depth += 1;
    else if (char === ')') depth -= 1;
    else if (char === '|' && depth === 0) return true;
  }
  return false;
}

function headersOf(value: Json | undefined): ReadonlyMap<string, readonly string[]> {
  if (!isJsonObject(value)) return new Map();
  const entries = Object.entries(value).map(([name, values]): [string, readonly string[]] => [
    name.toLowerCase(),
    isJsonArray(values) ? sorted(values.map((item) => String(item).toLowerCase())) : [],
  ]);
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function addresses(value: Json | undefined): readonly string[] {
  return isJsonArray(value) ? sorted(value.map((item) => canonicalJson(item))) : [];
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}
