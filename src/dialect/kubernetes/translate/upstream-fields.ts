import type { Json, JsonObject } from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { objectAt, textAt, withoutUndefined } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import type { ResolvedService, ServiceView } from './resolve-services.ts';

/** The annotation of a Service that names a KongUpstreamPolicy of its namespace. */
export const policyAnnotation = 'konghq.com/upstream-policy';

/** The annotation of a Service that names a KongIngress of its namespace, of which the block `upstream` counts. */
export const overrideAnnotation = 'konghq.com/override';

const hostHeaderAnnotation = 'konghq.com/host-header';

/** All fields of an upstream but its name and tags: KongIngress first, then annotations, then the policy (kic.md 6.1). */
export function upstreamFields({ views }: ResolvedService, to: Translation): JsonObject {
  const fields: { [field: string]: Json } = { algorithm: 'round-robin' };
  for (const view of views) Object.assign(fields, kongIngressUpstream(view, to));
  for (const { annotations } of views) {
    const header = annotations.get(hostHeaderAnnotation) ?? '';
    if (header !== '') fields['host_header'] = header;
  }
  const [first] = views;
  if (first !== undefined) Object.assign(fields, policyFields(first, to));
  return fields;
}

function kongIngressUpstream(view: ServiceView, { store, findings }: Translation): JsonObject {
  const name = view.annotations.get(overrideAnnotation) ?? '';
  if (name === '') return {};
  const owner = view.ownerOf(overrideAnnotation);
  const kongIngress = store.get('KongIngress', owner.namespace, name);
  if (kongIngress !== undefined) return objectAt(kongIngress.value, 'upstream') ?? {};
  findings.error(
    'kubernetes-missing-policy',
    { object: owner, path: view.pathOf(overrideAnnotation) },
    `${shownObject(owner)} names the KongIngress ${JSON.stringify(name)}, which is not declared in its namespace`,
    'Declare it, correct the name, or use a KongUpstreamPolicy.',
  );
  return {};
}

function policyFields(view: ServiceView, { store, findings, kong }: Translation): JsonObject {
  const name = view.annotations.get(policyAnnotation) ?? '';
  if (name === '') return {};
  const owner = view.ownerOf(policyAnnotation);
  const spot = { object: owner, path: view.pathOf(policyAnnotation) };
  const policy = store.get('KongUpstreamPolicy', owner.namespace, name);
  if (policy === undefined) {
    const message = `${shownObject(owner)} names the KongUpstreamPolicy ${JSON.stringify(name)}, which is not declared in its namespace`;
    findings.error('kubernetes-missing-policy', spot, message, 'Declare it, or correct the name.');
    return {};
  }
  if (textAt(policy.value, 'spec', 'algorithm') === 'sticky-sessions' && !kong.stickySessions) {
    findings.error(
      'kubernetes-missing-policy',
      { object: policy, path: ['spec', 'algorithm'] },
      'Sticky sessions need Kong 3.11 or later',
      'Set kong.version of the configuration to what you run, or use another algorithm.',
      { others: [spot] },
    );
    return {};
  }
  return upstreamOfPolicy(policy);
}

/** A KongUpstreamPolicy in the words of an upstream (kic.md 6.10). */
function upstreamOfPolicy({ value }: KubeObject): JsonObject {
  const spec = objectAt(value, 'spec') ?? {};
  const hashOn = objectAt(spec, 'hashOn');
  const sticky = objectAt(spec, 'stickySessions');
  return withoutUndefined({
    algorithm: spec['algorithm'],
    slots: spec['slots'],
    ...hashFields('hash_on', hashOn),
    ...hashFields('hash_fallback', objectAt(spec, 'hashOnFallback')),
    hash_on_cookie_path: hashOn?.['cookiePath'],
    ...(sticky === null
      ? {}
      : { sticky_sessions_cookie: sticky['cookie'], sticky_sessions_cookie_path: sticky['cookiePath'] }),
    healthchecks: healthchecksOf(objectAt(spec, 'healthchecks')),
  });
}

const hashInputs = [
  ['header', 'header'],
  ['cookie', 'cookie'],
  ['queryArg', 'query_arg'],
  ['uriCapture', 'uri_capture'],
] as const;

function hashFields(field: string, hash: JsonObject | null): { [field: string]: Json | undefined } {
  if (hash === null) return {};
  const [key, word] = hashInputs.find(([name]) => hash[name] !== undefined) ?? [null, null];
  if (hash['input'] !== undefined) return { [field]: hash['input'] };
  return key === null ? {} : { [field]: word, [`${field}_${word}`]: hash[key] };
}

/** The names of a health check's fields: of the resource, and of Kong. */
const healthNames: Readonly<Record<string, string>> = {
  httpPath: 'http_path',
  httpsSni: 'https_sni',
  httpsVerifyCertificate: 'https_verify_certificate',
  httpStatuses: 'http_statuses',
  httpFailures: 'http_failures',
  tcpFailures: 'tcp_failures',
};

function healthchecksOf(checks: JsonObject | null): JsonObject | undefined {
  return checks === null ? undefined : renamed(checks);
}

function renamed(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      healthNames[key] ?? key,
      // The headers of a check are named by the user.
      key !== 'headers' && typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? renamed(inner as JsonObject)
        : inner,
    ]),
  );
}
