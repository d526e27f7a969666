import { isJsonObject, toPointer } from '../../../model/json.ts';
import type { KubernetesFindings } from '../findings.ts';
import type { KubeObject } from './kube-object.ts';
import { objectAt } from './values.ts';

/** One value of a Secret or ConfigMap, and where it was written. */
export interface DataValue {
  readonly text: string;
  /** `data`, `stringData` or `binaryData`. */
  readonly field: string;
}

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** What Secrets and ConfigMaps hold, decoded once each; `stringData` wins over `data`, as an API server has it. */
export class DataReader {
  readonly #findings: KubernetesFindings;
  readonly #known = new Map<KubeObject, ReadonlyMap<string, DataValue>>();

  constructor(findings: KubernetesFindings) {
    this.#findings = findings;
  }

  /** The values of an object by their keys. What cannot be decoded is reported and left out. */
  of(object: KubeObject): ReadonlyMap<string, DataValue> {
    const known = this.#known.get(object);
    if (known !== undefined) return known;
    const values = new Map<string, DataValue>();
    this.#read(object, 'data', object.kind === 'Secret', values);
    if (object.kind === 'Secret') this.#read(object, 'stringData', false, values);
    else this.#read(object, 'binaryData', true, values);
    this.#known.set(object, values);
    return values;
  }

  #read(object: KubeObject, field: string, encoded: boolean, values: Map<string, DataValue>): void {
    const data = objectAt(object.value, field);
    if (!isJsonObject(data ?? undefined) || data === null) return;
    for (const [key, written] of Object.entries(data)) {
      const environment = object.document.environmentTexts?.get(toPointer([...object.base, field, key]));
      const value = environment ?? written;
      if (value === null) values.set(key, { text: '', field });
      // A value of another type is reported by the check of the object's fields.
      if (typeof value !== 'string') continue;
      const text = encoded ? decoded(value) : value;
      if (text !== null) values.set(key, { text, field });
      else {
        this.#findings.error(
          'kubernetes-field',
          { object, path: [field, key] },
          `The value of ${JSON.stringify(key)} is not base64`,
          'Encode it, or write it as it is under `stringData`.',
        );
      }
    }
  }
}

function decoded(text: string): string | null {
  const plain = text.replace(/[\r\n]/g, '');
  return base64.test(plain.trim()) ? Buffer.from(plain, 'base64').toString('utf8') : null;
}
