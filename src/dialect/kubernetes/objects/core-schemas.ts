import type { FieldSchema } from '../crd/field-schema.ts';

const text: FieldSchema = { type: 'string' };
const name: FieldSchema = { type: 'string', minLength: 1 };
const port: FieldSchema = { type: 'integer', minimum: 1, maximum: 65_535 };
const free = { 'x-kubernetes-preserve-unknown-fields': true } as const;

function mapping(properties: FieldSchema['properties'] = {}, more: FieldSchema = {}): FieldSchema {
  return { type: 'object', properties, ...more };
}

function list(items: FieldSchema, more: FieldSchema = {}): FieldSchema {
  return { type: 'array', items, ...more };
}

const texts: FieldSchema = { type: 'object', additionalProperties: text };

const backend = mapping({
  service: mapping({ name, port: mapping({ name: text, number: port }) }, { required: ['name'] }),
  resource: mapping({ apiGroup: text, kind: name, name }, { required: ['kind', 'name'] }),
});

const label = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
/** A name in small letters, of which the first label may be a wildcard. */
const host: FieldSchema = {
  type: 'string',
  patternHint: 'Write a name in small letters, such as api.example.com or *.example.com.',
  pattern: `^$|^(\\*\\.)?${label}(\\.${label})*$`,
};

const ingressPath = mapping(
  {
    path: { type: 'string', pattern: '^(/|$)', patternHint: 'Let it begin with /.' },
    pathType: { type: 'string', enum: ['Exact', 'Prefix', 'ImplementationSpecific'] },
    backend,
  },
  { required: ['backend', 'pathType'] },
);

const ingress = mapping(
  {
    spec: mapping({
      ingressClassName: text,
      defaultBackend: backend,
      rules: list(
        mapping({ host, http: mapping({ paths: list(ingressPath, { minItems: 1 }) }, { required: ['paths'] }) }),
      ),
      tls: list(mapping({ hosts: list(host), secretName: text })),
    }),
  },
  { required: ['spec'] },
);

const ingressClass = mapping({
  spec: mapping({
    controller: text,
    parameters: mapping(
      { apiGroup: text, kind: name, name, namespace: text, scope: text },
      { required: ['kind', 'name'] },
    ),
  }),
});

const servicePort = mapping(
  {
    name: text,
    port,
    targetPort: { 'x-kubernetes-int-or-string': true },
    protocol: { type: 'string', enum: ['TCP', 'UDP', 'SCTP'], default: 'TCP' },
  },
  { required: ['port'], ...free },
);

const service = mapping({
  spec: mapping(
    {
      type: { type: 'string', enum: ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'], default: 'ClusterIP' },
      clusterIP: text,
      externalName: text,
      ports: list(servicePort),
    },
    free,
  ),
});

const endpointSlice = mapping(
  {
    addressType: { type: 'string', enum: ['IPv4', 'IPv6', 'FQDN'] },
    endpoints: list(
      mapping(
        { addresses: list(name, { minItems: 1 }), conditions: mapping({}, free) },
        { required: ['addresses'], ...free },
      ),
    ),
    ports: list(
      mapping({ name: { type: 'string', default: '' }, port, protocol: { type: 'string', default: 'TCP' } }, free),
    ),
  },
  { required: ['addressType', 'endpoints'], ...free },
);

const endpoints = mapping({
  subsets: list(
    mapping({
      addresses: list(mapping({ ip: name }, { required: ['ip'], ...free })),
      notReadyAddresses: list(mapping({}, free)),
      ports: list(
        mapping(
          { name: { type: 'string', default: '' }, port, protocol: { type: 'string', default: 'TCP' } },
          { required: ['port'], ...free },
        ),
      ),
    }),
  ),
});

const immutable: FieldSchema = { type: 'boolean' };

/** The fields of the kinds that every Kubernetes has, as far as they are read. Built-in kinds are no custom resources. */
export const coreSchemas: { readonly [kind: string]: FieldSchema } = {
  'networking.k8s.io/Ingress': ingress,
  'networking.k8s.io/IngressClass': ingressClass,
  '/Service': service,
  'discovery.k8s.io/EndpointSlice': endpointSlice,
  '/Endpoints': endpoints,
  '/Secret': mapping({ data: texts, stringData: texts, type: text, immutable }),
  '/ConfigMap': mapping({ data: texts, binaryData: texts, immutable }),
  '/Namespace': mapping({}, free),
};
