import type { Json } from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import { numberAt, objectsAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';
import { type KongService, type KongServices, serviceDefaults } from './kong-service.ts';
import { l4Match } from './l4-routes.ts';

/** Adds the services and routes of all TCPIngresses and UDPIngresses of the class (kic.md 6.7). */
export function addKongL4(services: KongServices, to: Translation): void {
  for (const ingress of to.classes.annotated('TCPIngress')) addRules(ingress, services, to);
  for (const ingress of to.classes.annotated('UDPIngress')) addRules(ingress, services, to);
}

function addRules(ingress: KubeObject, services: KongServices, to: Translation): void {
  const udp = ingress.kind === 'UDPIngress';
  for (const { index, item } of objectsAt(ingress.value, 'spec', 'rules')) {
    const path = ['spec', 'rules', index];
    const target = textAt(item, 'backend', 'serviceName') ?? '';
    const port = numberAt(item, 'backend', 'servicePort') ?? 0;
    const name = `${ingress.namespace}.${target}.${port}${udp ? '.udp' : ''}`;
    const known = services.get(name);
    if (known !== undefined && known.parent.kind !== ingress.kind) {
      to.findings.error(
        'kubernetes-name-clash',
        { object: ingress, path: [...path, 'backend'] },
        `${shownObject(ingress)} and ${shownObject(known.parent)} both make the Kong service ${JSON.stringify(name)}, and one would replace the other`,
        'Use another Service, or another port of it, for one of the two.',
        { others: [{ object: known.parent }] },
      );
      continue;
    }
    const service = known ?? services.add(newService(name, ingress, { target, port, path, udp }));
    const host = textAt(item, 'host') ?? '';
    const listen = numberAt(item, 'port');
    service.routes.push({
      name: `${ingress.namespace}.${ingress.name}.${index}${udp ? '.udp' : ''}`,
      owner: ingress,
      fields: {
        ...l4Match(host === '' ? [] : [host], listen === null ? [] : [listen], to.settings.expressionRoutes),
        protocols: udp ? ['udp'] : ['tcp', 'tls'],
        tags: tagsOf(ingress),
      },
      places: [
        { field: ['snis'], object: ingress, path: [...path, 'host'] },
        { field: ['destinations'], object: ingress, path: [...path, 'port'] },
        { field: ['expression'], object: ingress, path },
        { field: ['service'], object: ingress, path: [...path, 'backend'] },
      ],
      made: [],
      extensions: [],
    });
  }
}

function newService(
  name: string,
  ingress: KubeObject,
  of: {
    readonly target: string;
    readonly port: number;
    readonly path: readonly (string | number)[];
    readonly udp: boolean;
  },
): KongService {
  const { target, port, path, udp } = of;
  const fields: { [field: string]: Json } = udp
    ? { protocol: 'udp', port }
    : { protocol: 'tcp', port: 80, ...serviceDefaults };
  const at = [...path, 'backend'];
  return {
    name,
    host: `${target}.${ingress.namespace}.${port}.svc`,
    parent: ingress,
    fields,
    routes: [],
    made: [],
    backends: [
      {
        kind: 'Service',
        namespace: ingress.namespace,
        name: target,
        port: { by: 'number', number: port },
        weight: null,
        owner: ingress,
        path: at,
      },
    ],
  };
}
