import type { RawEntity, RawReference } from '../../../model/assemble.ts';
import { classAnnotation } from '../objects/class-filter.ts';
import { byAge, type KubeObject, shownObject } from '../objects/kube-object.ts';
import { tagsOf } from '../objects/tags.ts';
import type { Translation } from '../translation.ts';
import { rawEntity } from './raw.ts';
import type { ServiceView } from './resolve-services.ts';
import { isPlain, protocolOf } from './service-annotations.ts';

const label = 'konghq.com/ca-cert';

const annotations = [
  ['konghq.com/ca-certificates-secrets', 'Secret'],
  ['konghq.com/ca-certificates-configmaps', 'ConfigMap'],
] as const;

/** The CA certificates: Secrets and ConfigMaps with the label; of several with one id the oldest is taken (kic.md 4.5). */
export function caCertificates(to: Translation): readonly RawEntity[] {
  const { store, data, findings, settings } = to;
  const objects = [...store.list('Secret'), ...store.list('ConfigMap')]
    .filter((object) => object.labels.get(label) === 'true')
    .filter((object) => (object.annotations.get(classAnnotation) ?? settings.ingressClass) === settings.ingressClass)
    .sort(byAge);
  const byId = new Map<string, KubeObject>();
  return objects.flatMap((object): readonly RawEntity[] => {
    const values = data.of(object);
    const id = values.get('id');
    const key = values.has('cert') ? 'cert' : 'ca.crt';
    const cert = values.get(key);
    if (id === undefined || cert === undefined) {
      const missing = id === undefined ? '`id`' : '`cert` or `ca.crt`';
      const message = `${shownObject(object)} is marked as a CA certificate and has no ${missing}`;
      findings.error(
        'kubernetes-certificate',
        { object },
        message,
        'Add it to the data; the id is a UUID of your own choice.',
      );
      return [];
    }
    const before = byId.get(id.text);
    if (before !== undefined) {
      const message = `${shownObject(object)} and ${shownObject(before)} are CA certificates with the same id`;
      const spot = { object, path: [id.field, 'id'] };
      findings.error('kubernetes-certificate', spot, message, 'Give each an id of its own.', {
        others: [{ object: before, path: [id.field, 'id'] }],
      });
      return [];
    }
    byId.set(id.text, object);
    const places = [
      { field: ['cert'], object, path: [cert.field, key] },
      { field: ['id'], object, path: [id.field, 'id'] },
    ];
    return [
      rawEntity('ca_certificates', object, { cert: cert.text.trim(), tags: tagsOf(object) }, { id: id.text, places }),
    ];
  });
}

/** The CA certificates that a Service asks for by annotation, as references of the Kong service. */
export function caReferences(view: ServiceView, to: Translation): readonly RawReference[] {
  const wanted = annotations.flatMap(([annotation, kind]) =>
    (view.annotations.get(annotation) ?? '')
      .split(',')
      .map((name) => ({ annotation, kind, name: name.trim() }))
      .filter(({ name }) => name !== ''),
  );
  const [first] = wanted;
  if (first === undefined) return [];
  const spotOf = (annotation: string) => ({ object: view.ownerOf(annotation), path: view.pathOf(annotation) });
  const refuse = (message: string, hint: string) => {
    to.findings.error('kubernetes-tls', spotOf(first.annotation), message, hint);
    return [];
  };
  if (view.annotations.get('konghq.com/tls-verify') !== 'true') {
    return refuse(
      'CA certificates are named, and the Service’s certificate is not checked',
      'Set the annotation konghq.com/tls-verify to "true".',
    );
  }
  const protocol = protocolOf(view);
  if (isPlain(protocol)) {
    return refuse(
      `CA certificates do not go with the protocol ${protocol}`,
      'Set the annotation konghq.com/protocol to https, grpcs, tls or wss.',
    );
  }
  return wanted.flatMap(({ annotation, kind, name }): readonly RawReference[] => {
    const object = to.store.get(kind, view.service.namespace, name);
    const id = object === undefined ? undefined : to.data.of(object).get('id');
    if (object !== undefined && id !== undefined)
      return [{ field: 'ca_certificates', index: null, to: { id: id.text } }];
    const what = `The ${kind} ${JSON.stringify(`${view.service.namespace}/${name}`)}`;
    const message = object === undefined ? `${what} is not declared` : `${what} has no \`id\``;
    to.findings.error(
      object === undefined ? 'kubernetes-missing-secret' : 'kubernetes-certificate',
      spotOf(annotation),
      message,
      'Declare it with `id`, `cert` and the label konghq.com/ca-cert: "true".',
      { others: object === undefined ? [] : [{ object }] },
    );
    return [];
  });
}
