import { objectKind } from '../../dialect/kubernetes/objects/kinds.ts';
import type { Document } from '../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath, ownValue } from '../../model/json.ts';
import type { KindName } from '../../model/kind.ts';
import type { Schemas } from '../../schema/schema.ts';
import { type Hide, hideFields } from './public-fields.ts';

/** Hides in a Kubernetes manifest every value that is not known to be public. */
export function hideInManifest(document: Document, schemas: Schemas, hide: Hide): void {
  if (isJsonObject(document.value)) hideInObject(document.value, [], schemas, hide);
}

function hideInObject(value: JsonObject, path: JsonPath, schemas: Schemas, hide: Hide): void {
  hideAnnotations(value, path, hide);
  const { apiVersion, kind, items } = value;
  if (isJsonArray(items)) {
    for (const [index, item] of items.entries()) {
      if (isJsonObject(item)) hideInObject(item, [...path, 'items', index], schemas, hide);
      else hide([...path, 'items', index]);
    }
    return;
  }
  const group = typeof apiVersion === 'string' && apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
  const known = typeof kind === 'string' ? objectKind(group, kind) : undefined;
  for (const [key, inner] of Object.entries(value)) {
    if (envelope.includes(key)) continue;
    hideIn(known?.kind ?? null, value, key, inner, [...path, key], schemas, hide);
  }
}

const envelope = ['apiVersion', 'kind', 'metadata', 'type', 'immutable', 'status'];

/** Keys beside the configuration of a plugin's object, none of which can hold a secret where it is of this form. */
const ofPlugins: Forms = {
  plugin: isText,
  disabled: (value) => typeof value === 'boolean',
  protocols: isTexts,
  ordering: isJsonObject,
  instance_name: isText,
  run_on: isText,
  consumerRef: isText,
  configFrom: isJsonObject,
};

const ofVaults: Forms = { backend: isText, prefix: isText, description: isText, tags: isTexts };

const ofConsumers: Forms = {
  username: isText,
  custom_id: isText,
  credentials: isTexts,
  consumerGroups: isTexts,
  plugins: isTexts,
};

type Forms = { readonly [key: string]: (value: Json) => boolean };

function isText(value: Json): boolean {
  return typeof value === 'string';
}

function isTexts(value: Json): boolean {
  return isJsonArray(value) && value.every(isText);
}

function isOpen(forms: Forms, key: string, value: Json): boolean {
  return ownValue(forms, key)?.(value) === true;
}

/** Kinds of objects that say where requests go and who may pass, and hold no secret. */
const open: ReadonlySet<string> = new Set([
  'Service',
  'Endpoints',
  'EndpointSlice',
  'Namespace',
  'Ingress',
  'IngressClass',
  'KongIngress',
  'KongConsumerGroup',
  'KongUpstreamPolicy',
  'TCPIngress',
  'UDPIngress',
  'IngressClassParameters',
  'KongServiceFacade',
  'Gateway',
  'GatewayClass',
  'HTTPRoute',
  'GRPCRoute',
  'TCPRoute',
  'UDPRoute',
  'TLSRoute',
  'ReferenceGrant',
  'BackendTLSPolicy',
]);

function hideIn(
  kind: string | null,
  object: JsonObject,
  key: string,
  value: Json,
  path: JsonPath,
  schemas: Schemas,
  hide: Hide,
): void {
  switch (kind) {
    case 'KongPlugin':
    case 'KongClusterPlugin':
      if (key === 'config') hideConfig('plugins', object['plugin'], value, path, schemas, hide);
      else if (!isOpen(ofPlugins, key, value)) hide(path);
      return;
    case 'KongVault':
      if (key !== 'spec' || !isJsonObject(value)) hide(path);
      else {
        for (const [field, inner] of Object.entries(value)) {
          if (field === 'config') hideConfig('vaults', value['backend'], inner, [...path, field], schemas, hide);
          else if (!isOpen(ofVaults, field, inner)) hide([...path, field]);
        }
      }
      return;
    case 'KongConsumer':
      if (!isOpen(ofConsumers, key, value)) hide(path);
      return;
    default:
      if (kind === null || !open.has(kind)) hide(path);
  }
}

function hideConfig(
  kind: KindName,
  name: Json | undefined,
  value: Json,
  path: JsonPath,
  schemas: Schemas,
  hide: Hide,
): void {
  const written = { name: name ?? null, config: value };
  hideFields(schemas, kind, written, ['config'], path.slice(0, -1), hide);
}

const ofMetadata = ['name', 'namespace', 'generateName', 'labels', 'annotations', 'generation', 'creationTimestamp'];

/** What an object says of itself is public where it is known; annotations of others can hold anything, such as a copy of the whole object. */
function hideAnnotations({ metadata }: JsonObject, path: JsonPath, hide: Hide): void {
  if (!isJsonObject(metadata)) {
    hide([...path, 'metadata']);
    return;
  }
  for (const key of Object.keys(metadata)) if (!ofMetadata.includes(key)) hide([...path, 'metadata', key]);
  const annotations = metadata['annotations'] ?? null;
  const at = [...path, 'metadata', 'annotations'];
  if (!isJsonObject(annotations)) {
    hide(at);
    return;
  }
  for (const [key, value] of Object.entries(annotations)) {
    if (!/^(?:konghq\.com|kubernetes\.io|ingress\.kubernetes\.io)\//.test(key) || !isText(value)) hide([...at, key]);
  }
}
