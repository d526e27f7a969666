import { build } from '../src/build/build.ts';
import { defaultKubernetesSettings } from '../src/dialect/kubernetes/settings.ts';
import type { SnapshotEntry } from '../src/model/snapshot.ts';
import { countEntities } from '../src/model/state.ts';
import { loadSchemas } from '../src/schema/bundled.ts';

/**
 * What Kubernetes manifests cost to build and check: `node --import tsx bench/kubernetes.ts [SCALE] [--endpoints] [--kustomize]`. At
 * scale 1 there are 5,000 Ingresses, 2,000 Services, 1,000 HTTPRoutes and 3,000 KongConsumers with a Secret each, a file for
 * 50 objects of a team. Prints a row of a Markdown table, and ends with 1 where anything is wrong, or takes over 1 GiB.
 */

const scale = Number(process.argv[2] ?? '1');
const isBuilt = process.argv.includes('--kustomize');
const isWithEndpoints = process.argv.includes('--endpoints');
const counts = {
  ingresses: 5_000 * scale,
  services: 2_000 * scale,
  routes: 1_000 * scale,
  consumers: 3_000 * scale,
};
const namespaces = 50;
const limitMiB = 1_024;

const namespaceOf = (number: number) => `team-${number % namespaces}`;

function service(number: number): string {
  const namespace = namespaceOf(number);
  const slice = `---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: service-${number}-a, namespace: ${namespace}, labels: { kubernetes.io/service-name: service-${number} } }
addressType: IPv4
ports: [{ name: http, port: 8080, protocol: TCP }]
endpoints: [{ addresses: [10.1.${number % 250}.1] }, { addresses: [10.1.${number % 250}.2] }]
`;
  return `apiVersion: v1
kind: Service
metadata:
  name: service-${number}
  namespace: ${namespace}
  annotations: { konghq.com/connect-timeout: "5000"${number % 10 === 0 ? ', konghq.com/plugins: limit' : ''} }
spec:
  ports: [{ name: http, port: 80, targetPort: 8080 }]
${isWithEndpoints ? slice : ''}`;
}

function ingress(number: number): string {
  const to = number % counts.services;
  return `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: ingress-${number}
  namespace: ${namespaceOf(to)}
  annotations:
    konghq.com/strip-path: "true"
    konghq.com/plugins: ${number % 5 === 0 ? 'auth, limit' : 'auth'}
spec:
  ingressClassName: kong
  rules:
  - host: api-${number % 500}.example.com
    http:
      paths:
      - path: /v1/resource-${number}
        pathType: Prefix
        backend: { service: { name: service-${to}, port: { number: 80 } } }
      - path: /v2/resource-${number}
        pathType: Exact
        backend: { service: { name: service-${to}, port: { name: http } } }
`;
}

function httpRoute(number: number): string {
  const to = number % counts.services;
  return `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: route-${number}
  namespace: ${namespaceOf(to)}
  annotations: { konghq.com/plugins: auth }
spec:
  parentRefs: [{ name: gateway, namespace: gateways }]
  hostnames: [gw-${number % 200}.example.com]
  rules:
  - matches:
    - path: { type: PathPrefix, value: /gw/${number} }
      headers: [{ name: x-tenant, value: t${number % 9} }]
    - path: { type: PathPrefix, value: /gw-post/${number} }
      method: POST
    filters:
    - type: RequestHeaderModifier
      requestHeaderModifier: { set: [{ name: x-from, value: gateway }] }
    backendRefs: [{ name: service-${to}, port: 80, weight: 9 }]
`;
}

function consumer(number: number): string {
  return `apiVersion: configuration.konghq.com/v1
kind: KongConsumer
metadata:
  name: consumer-${number}
  namespace: ${namespaceOf(number)}
  annotations: { kubernetes.io/ingress.class: kong }
username: consumer-${number}
credentials: [key-${number}]
---
apiVersion: v1
kind: Secret
metadata:
  name: key-${number}
  namespace: ${namespaceOf(number)}
  labels: { konghq.com/credential: key-auth }
stringData: { key: made-up-key-of-consumer-${number} }
`;
}

function shared(): string {
  const gateway = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: gateway, namespace: gateways }
spec:
  gatewayClassName: kong
  listeners: [{ name: http, protocol: HTTP, port: 80, allowedRoutes: { namespaces: { from: All } } }]
`;
  const plugins = Array.from(
    { length: namespaces },
    (_, number) => `apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: auth, namespace: team-${number} }
plugin: key-auth
---
apiVersion: configuration.konghq.com/v1
kind: KongPlugin
metadata: { name: limit, namespace: team-${number} }
plugin: rate-limiting
config: { minute: 60, policy: local }
`,
  );
  return [gateway, ...plugins].join('---\n');
}

function entries(): ReadonlyMap<string, SnapshotEntry> {
  const files = new Map<string, SnapshotEntry>();
  const add = (path: string, text: string) => files.set(path, { type: 'file', bytes: Buffer.from(text), blob: null });
  const write = (folder: string, count: number, object: (number: number) => string) => {
    for (let from = 0; from < count; from += 50) {
      const numbers = Array.from({ length: Math.min(50, count - from) }, (_, offset) => from + offset);
      add(`${folder}/${from}.yaml`, numbers.map(object).join('---\n'));
    }
  };
  add('shared.yaml', shared());
  write('services', counts.services, service);
  write('ingresses', counts.ingresses, ingress);
  write('routes', counts.routes, httpRoute);
  write('consumers', counts.consumers, consumer);
  if (isBuilt) {
    const resources = [...files.keys()].map((path) => `- ${path}\n`);
    add('kustomization.yaml', `commonAnnotations: { by: bench }\nresources:\n${resources.join('')}`);
  }
  return files;
}

const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
const snapshot = { revision: null, entries: entries() };
const [start, used] = [performance.now(), process.cpuUsage()];
const built = build(snapshot, {
  scope: null,
  schemas,
  rules: {},
  environment: () => undefined,
  instant: Date.UTC(2026, 0, 1),
  kubernetes: { ...defaultKubernetesSettings, targets: isWithEndpoints ? 'endpoints' : 'dns' },
});
const seconds = (performance.now() - start) / 1_000;
const { user, system } = process.cpuUsage(used);
const entities = Object.values(countEntities(built.state)).reduce((sum, count) => sum + count, 0);
const objects = Object.values(counts).reduce((sum, count) => sum + count, counts.consumers) + 1 + 2 * namespaces;
const peakMiB = Math.round(process.resourceUsage().maxRSS / 1_024);
process.stdout.write(
  `| ${objects} | ${snapshot.entries.size} | ${entities} | ${seconds.toFixed(1)} | ${((user + system) / 1e6).toFixed(1)} | ${peakMiB} |\n`,
);
const errors = built.diagnostics.filter(({ severity }) => severity === 'error');
for (const { message } of errors.slice(0, 5)) process.stderr.write(`${message}\n`);
if (errors.length > 0 || peakMiB > limitMiB) process.exitCode = 1;
