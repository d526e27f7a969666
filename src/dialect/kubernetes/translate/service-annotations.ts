import type { Json } from '../../../model/json.ts';
import type { KubernetesFindings } from '../findings.ts';
import type { KongService } from '../routing/kong-service.ts';
import type { ServiceView } from './resolve-services.ts';

const prefix = 'konghq.com/';

/** Protocols that a Service may ask for (kic.md 4.3, 34). */
const protocols = ['http', 'https', 'grpc', 'grpcs', 'ws', 'wss', 'tls', 'tcp', 'tls_passthrough'];

/** Protocols without TLS, with which no certificate goes. */
const plainProtocols = ['http', 'grpc', 'tcp', 'tls_passthrough', 'udp', 'ws'];

/** Carries out the annotations of a Service on a Kong service (kic.md 6.11). A value that makes no sense is an error. */
export function applyServiceAnnotations(kong: KongService, view: ServiceView, findings: KubernetesFindings): void {
  const { fields } = kong;
  const read = new AnnotationReader(view, findings);
  const protocol = read.choice('protocol', protocols);
  if (protocol !== null) fields['protocol'] = protocol;
  const path = read.fitting('path', /^\//, 'a path that begins with a slash');
  if (path !== null) fields['path'] = path;
  for (const [name, field] of wholeNumbers) {
    const text = read.fitting(name, /^\d+$/, 'a whole number');
    if (text !== null) fields[field] = Number(text);
  }
  const verify = read.choice('tls-verify', ['true', 'false']);
  if (verify !== null) fields['tls_verify'] = verify === 'true';
  const depth = read.fitting('tls-verify-depth', /^\d+$/, 'a whole number');
  if (depth !== null) fields['tls_verify_depth'] = Number(depth);
  // gRPC has no path of a service's own.
  if (isGrpc(fields['protocol'])) delete fields['path'];
}

const wholeNumbers = [
  ['connect-timeout', 'connect_timeout'],
  ['write-timeout', 'write_timeout'],
  ['read-timeout', 'read_timeout'],
  ['retries', 'retries'],
] as const;

function isGrpc(protocol: Json | undefined): boolean {
  return protocol === 'grpc' || protocol === 'grpcs';
}

/** The protocol that the annotations of a Service ask for; http where they ask for none. */
export function protocolOf({ annotations }: ServiceView): string {
  return annotations.get(`${prefix}protocol`) || 'http';
}

/** Whether no certificate goes with a protocol. */
export function isPlain(protocol: string): boolean {
  return plainProtocols.includes(protocol);
}

/** Reads annotations of a Service and reports what makes no sense. */
class AnnotationReader {
  readonly #view: ServiceView;
  readonly #findings: KubernetesFindings;

  constructor(view: ServiceView, findings: KubernetesFindings) {
    this.#view = view;
    this.#findings = findings;
  }

  choice(name: string, choices: readonly string[]): string | null {
    const text = this.#text(name);
    if (text === null || choices.includes(text)) return text;
    this.#refuse(name, `one of ${choices.join(', ')}`);
    return null;
  }

  fitting(name: string, form: RegExp, wanted: string): string | null {
    const text = this.#text(name);
    if (text === null || form.test(text)) return text;
    this.#refuse(name, wanted);
    return null;
  }

  #text(name: string): string | null {
    return this.#view.annotations.get(prefix + name) || null;
  }

  #refuse(name: string, wanted: string): void {
    const annotation = prefix + name;
    const spot = { object: this.#view.ownerOf(annotation), path: this.#view.pathOf(annotation) };
    const message = `The annotation ${annotation} has to be ${wanted}`;
    const hint = 'A controller would take no notice of the annotation.';
    this.#findings.error('kubernetes-annotation', spot, message, hint);
  }
}
