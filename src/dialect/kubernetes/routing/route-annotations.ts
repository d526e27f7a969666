import type { KubernetesFindings } from '../findings.ts';
import type { KubeObject } from '../objects/kube-object.ts';
import { allOf, anyOf, hostPattern, type Matcher, matchHeader, sniPattern } from './expression.ts';
import type { KongRoute } from './kong-service.ts';

const prefix = 'konghq.com/';
const forceTls = 'ingress.kubernetes.io/force-ssl-redirect';

const protocols = new Set(['http', 'https', 'grpc', 'grpcs', 'ws', 'wss', 'tcp', 'tls', 'tls_passthrough', 'udp']);

/** The items of an annotation that is a list; empty where it is not set. */
export function listOf(object: KubeObject, name: string): readonly string[] {
  const written = object.annotations.get(prefix + name) ?? '';
  return written === '' ? [] : written.split(',').map((item) => item.trim());
}

/** The further hosts of a route, by annotation. */
export function hostAliasesOf(object: KubeObject): readonly string[] {
  return listOf(object, 'host-aliases');
}

/** The headers that a route asks for, by annotations `konghq.com/headers.NAME`. */
export function headersOf(object: KubeObject): ReadonlyMap<string, readonly string[]> {
  const separator = object.annotations.get(`${prefix}headers-separator`) ?? ',';
  const start = `${prefix}headers.`;
  const headers = new Map<string, readonly string[]>();
  for (const [key, value] of object.annotations) {
    if (!key.startsWith(start) || key === start || value === '') continue;
    const values = separator === '' ? [value] : value.split(separator);
    headers.set(
      key.slice(start.length),
      values.map((item) => item.trim()),
    );
  }
  return headers;
}

/** The expression's part for headers: one of the values of each. */
export function headerMatcher(headers: ReadonlyMap<string, readonly string[]>): Matcher {
  const names = [...headers.keys()].filter((name) => name.toLowerCase() !== 'host').sort();
  return allOf(
    ...names.map((name) =>
      anyOf(
        ...(headers.get(name) ?? []).map((value) =>
          value.startsWith('~*') ? matchHeader(name, value.slice(2), true) : matchHeader(name, value, false),
        ),
      ),
    ),
  );
}

/** Carries out the annotations of a route's object (kic.md 6.11). A value that makes no sense is an error, not passed over. */
export function applyRouteAnnotations(route: KongRoute, expressions: boolean, findings: KubernetesFindings): void {
  new RouteAnnotations(route, findings).apply(expressions);
}

class RouteAnnotations {
  readonly #route: KongRoute;
  readonly #findings: KubernetesFindings;

  constructor(route: KongRoute, findings: KubernetesFindings) {
    this.#route = route;
    this.#findings = findings;
  }

  apply(expressions: boolean): void {
    const { fields, owner } = this.#route;
    this.#flag('strip-path', 'strip_path');
    this.#redirect();
    this.#flag('preserve-host', 'preserve_host');
    this.#flag('request-buffering', 'request_buffering');
    this.#flag('response-buffering', 'response_buffering');
    this.#protocols();
    const regexPriority = this.#whole('regex-priority');
    const methods = this.#list('methods', (one) => /^[A-Z]+$/.test(one), 'methods in capital letters');
    const snis = this.#list('snis', (one) => sniPattern.test(one), 'host names');
    const aliases = this.#list('host-aliases', (one) => hostPattern.test(one), 'host names');
    const handling = this.#choice('path-handling', ['v0', 'v1']);
    const headers = headersOf(owner);
    if (!expressions) {
      if (regexPriority !== null) fields['regex_priority'] = regexPriority;
      if (methods.length > 0) fields['methods'] = methods;
      if (owner.annotations.has(`${prefix}snis`)) this.#setOrRemove('snis', snis);
      const hosts = Array.isArray(fields['hosts']) ? (fields['hosts'] as readonly string[]) : [];
      if (aliases.length > 0) fields['hosts'] = [...new Set([...hosts, ...aliases])];
      if (headers.size > 0) fields['headers'] = Object.fromEntries(headers);
      if (handling !== null) fields['path_handling'] = handling;
      this.#normalize();
    }
  }

  #setOrRemove(field: string, values: readonly string[]): void {
    if (values.length > 0) this.#route.fields[field] = values;
    else delete this.#route.fields[field];
  }

  /** What is for gRPC takes no prefix off a path. */
  #normalize(): void {
    const { fields } = this.#route;
    const written = Array.isArray(fields['protocols']) ? (fields['protocols'] as readonly string[]) : [];
    const grpc = written.some((one) => one.startsWith('grpc'));
    if (grpc && written.some((one) => one.startsWith('http'))) fields['protocols'] = ['http', 'https'];
    if (grpc) delete fields['strip_path'];
  }

  #protocols(): void {
    const written = this.#list('protocols', (one) => protocols.has(one), 'protocols of Kong');
    if (written.length > 0) this.#route.fields['protocols'] = [...written].sort();
  }

  #redirect(): void {
    const { fields, owner } = this.#route;
    if (owner.annotations.get(forceTls) === 'true') {
      fields['https_redirect_status_code'] = 302;
      const before = Array.isArray(fields['protocols']) ? (fields['protocols'] as readonly string[]) : [];
      const [grpc, http] = ['grpc', 'http'].map((word) => before.some((one) => one.startsWith(word)));
      fields['protocols'] = [...(grpc === true ? ['grpcs'] : []), ...(http === true || grpc !== true ? ['https'] : [])];
    }
    const code = this.#choice('https-redirect-status-code', ['426', '301', '302', '307', '308']);
    if (code !== null) fields['https_redirect_status_code'] = Number(code);
  }

  #flag(name: string, field: string): void {
    const text = this.#choice(name, ['true', 'false'], (value) => value.toLowerCase());
    if (text !== null) this.#route.fields[field] = text === 'true';
  }

  #whole(name: string): number | null {
    const text = this.#text(name);
    if (text === null) return null;
    if (/^-?\d+$/.test(text)) return Number(text);
    this.#refuse(name, 'a whole number');
    return null;
  }

  #choice(name: string, choices: readonly string[], normal = (value: string) => value): string | null {
    const text = this.#text(name);
    if (text === null) return null;
    if (choices.includes(normal(text))) return normal(text);
    this.#refuse(name, choices.join(', '));
    return null;
  }

  #list(name: string, test: (item: string) => boolean, wanted: string): readonly string[] {
    const items = listOf(this.#route.owner, name);
    if (items.every(test)) return items;
    this.#refuse(name, `a list of ${wanted}`);
    return [];
  }

  #text(name: string): string | null {
    return this.#route.owner.annotations.get(prefix + name) || null;
  }

  #refuse(name: string, wanted: string): void {
    const path = ['metadata', 'annotations', prefix + name];
    const message = `The annotation ${prefix}${name} has to be ${wanted.includes(',') ? `one of ${wanted}` : wanted}`;
    const hint = 'A controller would take no notice of the annotation, and serve the route without it.';
    this.#findings.error('kubernetes-annotation', { object: this.#route.owner, path }, message, hint);
  }
}
