import type { Json, JsonObject, JsonPath } from '../../../model/json.ts';
import { nearestWord } from '../../../model/suggest.ts';
import type { FieldFault } from '../crd/check-fields.ts';
import { objectAt, textAt } from './values.ts';

const label = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${label}(?:\\.${label})*$`);
const wordPattern = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** Kinds whose names are a single label of a host name; those of all others are host names (RFC 1123). */
const labelNamed: ReadonlySet<string> = new Set(['Namespace', 'Service']);

/** The fields of `metadata` (meta/v1, ObjectMeta). */
const fields = [
  'name',
  'generateName',
  'namespace',
  'labels',
  'annotations',
  'uid',
  'creationTimestamp',
  'ownerReferences',
  'finalizers',
  'managedFields',
  'resourceVersion',
  'generation',
  'selfLink',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'clusterName',
];

/** What an API server would refuse of the metadata of an object of a kind, and fields there that it would pass over. */
export function metadataFaults(kind: string, written: JsonObject): readonly FieldFault[] {
  const metadata = objectAt(written, 'metadata') ?? {};
  return [
    ...Object.keys(metadata).flatMap(unknownFault),
    ...nameFaults(kind, textAt(metadata, 'name') ?? ''),
    ...namespaceFaults(textAt(metadata, 'namespace') ?? ''),
    ...(['annotations', 'labels'] as const).flatMap((field) =>
      Object.entries(objectAt(metadata, field) ?? {}).flatMap(([key, value]) => pairFaults(field, key, value)),
    ),
  ];
}

function unknownFault(key: string): readonly FieldFault[] {
  if (fields.includes(key)) return [];
  const meant = nearestWord(key, fields);
  const [path, message] = [['metadata', key], `\`metadata\` has no field ${JSON.stringify(key)}`];
  if (meant === undefined) {
    return [{ path, part: 'key', about: 'unknown', message, hint: 'Remove it; it has no effect.' }];
  }
  // Annotations that are passed over take what they protect with them.
  return [{ path, part: 'key', about: 'field', message, hint: `Did you mean ${JSON.stringify(meant)}?` }];
}

function nameFaults(kind: string, name: string): readonly FieldFault[] {
  if (name === '') {
    const hint = 'Give it a `metadata.name`; `generateName` gives another one each time.';
    return [fault(['metadata'], `This ${kind} has no name`, hint)];
  }
  const isLabel = labelNamed.has(kind);
  if (isLabel ? isHostLabel(name) : isSubdomain(name)) return [];
  const message = `${JSON.stringify(name)} cannot be the name of a ${kind}`;
  return [fault(['metadata', 'name'], message, isLabel ? labelHint : subdomainHint)];
}

function namespaceFaults(namespace: string): readonly FieldFault[] {
  if (namespace === '' || isHostLabel(namespace)) return [];
  const message = `${JSON.stringify(namespace)} cannot be the name of a namespace`;
  return [fault(['metadata', 'namespace'], message, labelHint)];
}

function pairFaults(field: 'annotations' | 'labels', key: string, value: Json): readonly FieldFault[] {
  const path = ['metadata', field, key];
  const what = field === 'labels' ? 'label' : 'annotation';
  const found: FieldFault[] = [];
  // An API server makes no difference of the letters of an annotation's key.
  if (!isQualified(field === 'labels' ? key : key.toLowerCase())) {
    const hint =
      'A key is of letters, digits, `-`, `_` and `.`, up to 63 of them, with a letter or digit at both ends; a domain and one `/` may stand before it.';
    found.push({
      ...fault(
        path,
        `${JSON.stringify(key)} cannot be the key of ${field === 'labels' ? 'a label' : 'an annotation'}`,
        hint,
      ),
      part: 'key',
    });
  }
  if (typeof value !== 'string') {
    found.push(fault(path, `The ${what} ${JSON.stringify(key)} has to be a text`, 'Put the value in quotes.'));
  } else if (field === 'labels' && value !== '' && !isWord(value)) {
    const hint =
      'It is of letters, digits, `-`, `_` and `.`, up to 63 of them, with a letter or digit at both ends; other texts belong under `annotations`.';
    found.push(fault(path, `The label ${JSON.stringify(key)} has a value that no label can have`, hint));
  }
  return found;
}

const labelHint = 'It is of small letters, digits and `-`, up to 63 of them, with a letter or digit at both ends.';
const subdomainHint =
  'It is of small letters, digits, `-` and `.`, up to 253 of them, with a letter or digit at both ends and beside each dot.';

function isHostLabel(text: string): boolean {
  return text.length <= 63 && labelPattern.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= 253 && subdomainPattern.test(text);
}

function isWord(text: string): boolean {
  return text.length <= 63 && wordPattern.test(text);
}

function isQualified(key: string): boolean {
  const slash = key.indexOf('/');
  return slash === -1 ? isWord(key) : isSubdomain(key.slice(0, slash)) && isWord(key.slice(slash + 1));
}

function fault(path: JsonPath, message: string, hint: string): FieldFault {
  return { path, part: 'value', about: 'field', message, hint };
}
