import { load } from 'js-yaml';
import { z } from 'zod';
import {
  fromPointer,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type JsonPath,
  toPointer,
} from '../../../model/json.ts';
import { type KubeObject, shownObject } from '../objects/kube-object.ts';
import { objectAt, objectsAt, textAt } from '../objects/values.ts';
import type { Translation } from '../translation.ts';

/** The configuration of a plugin, with what of it came from Secrets (JSON pointers into the entity, with what to call it). */
export interface PluginConfig {
  readonly config: JsonObject;
  readonly secret: ReadonlyMap<string, string>;
}

const json: z.ZodType<Json> = z.json();

/** The configuration of a KongPlugin or KongClusterPlugin; null where it cannot be read, which is reported (kic.md 4.2). */
export function pluginConfig(plugin: KubeObject, to: Translation): PluginConfig | null {
  const written = objectAt(plugin.value, 'config');
  const from = objectAt(plugin.value, 'configFrom', 'secretKeyRef');
  if (from !== null) {
    // Both is refused by the rules of the kind, and one of them would be taken without a word.
    if (written !== null) return null;
    return fromSecret(plugin, from, ['configFrom', 'secretKeyRef'], to);
  }
  const secret = new Map<string, string>();
  let config: Json = written ?? {};
  for (const { index, item } of objectsAt(plugin.value, 'configPatches')) {
    const at = ['configPatches', index];
    const value = referred(
      plugin,
      objectAt(item, 'valueFrom', 'secretKeyRef') ?? {},
      [...at, 'valueFrom', 'secretKeyRef'],
      to,
    );
    if (value === null) return null;
    const parsed = parsedJson(value.text);
    const pointer = textAt(item, 'path') ?? '';
    const patched: Json | undefined = parsed === undefined ? undefined : added(config, fromPointer(pointer), parsed);
    if (patched === undefined || !/^(?:\/|$)/.test(pointer)) {
      const what =
        parsed === undefined ? `the value of ${value.shown} is no JSON` : 'its path does not fit the configuration';
      const hint = 'A text has to be written in double quotes, and a path as a JSON pointer such as /add/headers.';
      to.findings.error(
        'kubernetes-plugin',
        { object: plugin, path: at },
        `The patch cannot be applied: ${what}`,
        hint,
        {
          others: [{ object: value.secret }],
        },
      );
      return null;
    }
    config = patched;
    // What is added to the end of a list makes the list secret.
    secret.set(`/config${pointer.replace(/\/-$/, '')}`, value.origin);
  }
  return isJsonObject(config) ? { config, secret } : null;
}

function fromSecret(plugin: KubeObject, from: JsonObject, path: JsonPath, to: Translation): PluginConfig | null {
  const value = referred(plugin, from, path, to);
  if (value === null) return null;
  const config = parsedJson(value.text) ?? parsedYaml(value.text);
  if (isJsonObject(config)) return { config, secret: new Map([['/config', value.origin]]) };
  const message = `The value of ${value.shown} is neither a JSON nor a YAML mapping`;
  to.findings.error(
    'kubernetes-plugin',
    { object: value.secret },
    message,
    'It has to be the configuration of a plugin.',
    {
      others: [{ object: plugin, path }],
    },
  );
  return null;
}

/** What a key of a Secret holds. */
interface Referred {
  readonly text: string;
  readonly secret: KubeObject;
  readonly shown: string;
  /** The variable of the environment that brought it; else what to call it. */
  readonly origin: string;
}

/** What a reference to a key of a Secret leads to; null where it leads nowhere, which is reported. */
function referred(plugin: KubeObject, reference: JsonObject, path: JsonPath, to: Translation): Referred | null {
  const [name, key] = [textAt(reference, 'name') ?? '', textAt(reference, 'key') ?? ''];
  const namespace = plugin.namespace === '' ? (textAt(reference, 'namespace') ?? '') : plugin.namespace;
  const secret = to.store.get('Secret', namespace, name);
  const value = secret === undefined ? undefined : to.data.of(secret).get(key);
  if (secret !== undefined && value !== undefined) {
    const shown = `the key ${JSON.stringify(key)} of ${shownObject(secret)}`;
    const variable = secret.document.fromEnvironment.get(toPointer([...secret.base, value.field, key]));
    return { text: value.text, secret, shown, origin: variable ?? shown };
  }
  const missing =
    secret === undefined
      ? `the Secret ${JSON.stringify(`${namespace}/${name}`)}, which is not declared`
      : `the key ${JSON.stringify(key)}, which ${shownObject(secret)} has not`;
  to.findings.error(
    'kubernetes-missing-secret',
    { object: plugin, path: [...path, secret === undefined ? 'name' : 'key'] },
    `${shownObject(plugin)} takes its configuration from ${missing}`,
    'Declare it, or correct the reference.',
    { others: secret === undefined ? [] : [{ object: secret }] },
  );
  return null;
}

function parsedJson(text: string): Json | undefined {
  try {
    return json.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function parsedYaml(text: string): Json | undefined {
  try {
    const parsed = json.safeParse(load(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** A value with another one put at a path: what is there is replaced, what leads to it and is missing is made. */
function added(value: Json | undefined, path: readonly string[], put: Json): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return put;
  if (isJsonArray(value)) return addedToList(value, step, rest, put);
  if (value !== undefined && value !== null && !isJsonObject(value)) return undefined;
  const within = value ?? {};
  const inner = added(Object.hasOwn(within, step) ? within[step] : undefined, rest, put);
  return inner === undefined ? undefined : { ...within, [step]: inner };
}

function addedToList(list: readonly Json[], step: string, rest: readonly string[], put: Json): Json | undefined {
  const index = step === '-' ? list.length : /^\d+$/.test(step) ? Number(step) : Number.NaN;
  if (Number.isNaN(index) || index > list.length) return undefined;
  if (rest.length === 0) return [...list.slice(0, index), put, ...list.slice(index)];
  const inner = added(list[index], rest, put);
  return inner === undefined ? undefined : list.map((item, at) => (at === index ? inner : item));
}
