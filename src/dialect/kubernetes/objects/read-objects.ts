import type { Document } from '../../../manifest/document.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, type JsonPath } from '../../../model/json.ts';
import { checkFields, type FieldFault, withDefaults } from '../crd/check-fields.ts';
import type { FieldSchema } from '../crd/field-schema.ts';
import { crds } from '../documents/crds.ts';
import type { KubernetesFindings } from '../findings.ts';
import type { KubernetesSettings } from '../settings.ts';
import { metadataFaults } from './check-metadata.ts';
import { coreSchemas } from './core-schemas.ts';
import { kindMeant, objectKind } from './kinds.ts';
import { compare, type KubeObject, objectKey, shownObject } from './kube-object.ts';
import { objectAt, textAt } from './values.ts';

type ReadSettings = Pick<KubernetesSettings, 'apiDefaults' | 'namespace'>;

/** Whether a document is a Kubernetes manifest: it has `kind`, and `apiVersion` or, where that was forgotten, `metadata`. */
export function isManifest({ value }: Pick<Document, 'value'>): boolean {
  if (!isJsonObject(value) || typeof value['kind'] !== 'string') return false;
  return typeof value['apiVersion'] === 'string' || isJsonObject(value['metadata']);
}

/**
 * The objects that documents hold, those of Lists among them, each checked as an API server would check it; by kind,
 * namespace and name, whatever the order of the documents. Kinds that mean nothing to Kong are passed over with a remark.
 */
export function readObjects(
  documents: readonly Document[],
  settings: ReadSettings,
  findings: KubernetesFindings,
): readonly KubeObject[] {
  const reader = new ObjectReader(settings, findings);
  // What is said once only is said of the first, whichever comes first.
  for (const document of [...documents].sort(byPlace)) reader.read(document, document.value, []);
  return reader.objects();
}

function byPlace(a: Document, b: Document): number {
  return compare(a.file, b.file) || a.index - b.index;
}

class ObjectReader {
  readonly #settings: ReadSettings;
  readonly #findings: KubernetesFindings;
  readonly #found = new Map<string, KubeObject>();
  readonly #ignored = new Set<string>();

  constructor(settings: ReadSettings, findings: KubernetesFindings) {
    this.#settings = settings;
    this.#findings = findings;
  }

  objects(): readonly KubeObject[] {
    return [...this.#found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
  }

  read(document: Document, value: Json, base: JsonPath): void {
    const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
    if (!isJsonObject(value) || apiVersion === null || kind === null) {
      const what = base.length === 0 ? 'A manifest' : 'An item of a List';
      this.#loose(document, base, `${what} needs \`apiVersion\` and \`kind\``, 'Write it as a whole object.');
      return;
    }
    if (kind.endsWith('List') && isJsonArray(value['items'])) {
      for (const [index, item] of value['items'].entries()) {
        // A list of one kind may leave it out of its items.
        const whole = kind === 'List' || !isJsonObject(item) ? item : { apiVersion, kind: kind.slice(0, -4), ...item };
        this.read(document, whole, [...base, 'items', index]);
      }
      return;
    }
    const slash = apiVersion.indexOf('/');
    const group = slash === -1 ? '' : apiVersion.slice(0, slash);
    const known = objectKind(group, kind);
    if (known === undefined) {
      const meant = kindMeant(group, kind);
      if (meant === undefined) this.#ignore(document, base, apiVersion, kind);
      else {
        const version = `${meant.group === '' ? '' : `${meant.group}/`}${meant.versions[0]}`;
        const message = `There is no kind ${kind} in ${apiVersion}, so nothing of it would be served`;
        this.#loose(document, [...base, 'kind'], message, `Did you mean ${meant.kind} of ${version}?`);
      }
      return;
    }
    const version = apiVersion.slice(slash + 1);
    if (!known.versions.includes(version)) {
      const hint = `Write ${group === '' ? '' : `${group}/`}${known.versions[0]}.`;
      this.#loose(document, [...base, 'apiVersion'], `${kind} is not served as ${apiVersion}`, hint);
      return;
    }
    this.#keep(this.#object(document, base, value, { group, version, kind, namespaced: known.namespaced }));
  }

  #object(
    document: Document,
    base: JsonPath,
    written: JsonObject,
    of: { readonly group: string; readonly version: string; readonly kind: string; readonly namespaced: boolean },
  ): KubeObject {
    const { group, version, kind, namespaced } = of;
    const { apiDefaults, namespace } = this.#settings;
    const schema = schemaOf(group, kind, version);
    const filled = schema === undefined ? written : withDefaults(written, schema);
    const object: KubeObject = {
      group,
      version,
      kind,
      namespace: namespaced ? (textAt(written, 'metadata', 'namespace') ?? (apiDefaults ? namespace : '')) : '',
      name: textAt(written, 'metadata', 'name') ?? '',
      uid: textAt(written, 'metadata', 'uid') ?? '',
      created: textAt(written, 'metadata', 'creationTimestamp') ?? '',
      value: apiDefaults && isJsonObject(filled) ? filled : written,
      annotations: this.#texts(written, 'annotations'),
      labels: this.#texts(written, 'labels'),
      document,
      base,
    };
    for (const fault of metadataFaults(kind, written)) this.#tell(object, fault);
    if (schema !== undefined) for (const fault of checkFields(filled, schema)) this.#tell(object, fault);
    return object;
  }

  #texts(value: JsonObject, field: 'annotations' | 'labels'): ReadonlyMap<string, string> {
    const written = objectAt(value, 'metadata', field) ?? {};
    return new Map(
      Object.entries(written).flatMap(([key, text]): [string, string][] =>
        text === null || isJsonArray(text) || isJsonObject(text) ? [] : [[key, String(text)]],
      ),
    );
  }

  #tell(object: KubeObject, { path, part, about, message, hint }: FieldFault): void {
    const spot = { object, path, part };
    if (about === 'unknown') this.#findings.warning('kubernetes-unknown-field', spot, message, hint);
    else {
      const rule = about === 'rule' ? 'kubernetes-field-rule' : 'kubernetes-field';
      // Objects that are taken as they were written have not been through an API server, which would have refused them.
      if (this.#settings.apiDefaults) this.#findings.error(rule, spot, message, hint);
      else this.#findings.warning(rule, spot, message, hint);
    }
  }

  #keep(object: KubeObject): void {
    if (object.name === '') return;
    const key = objectKey(object);
    const before = this.#found.get(key);
    if (before === undefined) this.#found.set(key, object);
    else {
      // The first in order of files is kept, whichever was read first.
      const [first, second] = isBefore(before, object) ? [before, object] : [object, before];
      this.#found.set(key, first);
      this.#findings.error(
        'kubernetes-duplicate-object',
        { object: second },
        `${shownObject(object)} is declared twice`,
        'Keep one of the two; in a cluster the one that is applied last would win.',
        { others: [{ object: first }] },
      );
    }
  }

  #ignore(document: Document, base: JsonPath, apiVersion: string, kind: string): void {
    const seen = `${document.file}\n${apiVersion}\n${kind}`;
    if (this.#ignored.has(seen)) return;
    this.#ignored.add(seen);
    const makesSecrets = secretMakers.has(kind);
    this.#findings.list.push({
      rule: 'kubernetes-kind-ignored',
      severity: 'info',
      message: makesSecrets
        ? `Objects of the kind ${kind} (${apiVersion}) become Secrets in a cluster only, and are passed over.`
        : `Objects of the kind ${kind} (${apiVersion}) say nothing of Kong and are passed over.`,
      hint: makesSecrets
        ? 'Declare a Secret that is needed itself, with values from the environment; a certificate may be left to others (kubernetes.undeclaredCertificates).'
        : 'Nothing has to be done.',
      locations: [document.at([...base, 'kind'])],
      entities: [],
    });
  }

  #loose(document: Document, path: JsonPath, message: string, hint: string): void {
    this.#findings.loose('kubernetes-object', message, hint, [document.at(path)]);
  }
}

/** Kinds of which something in a cluster makes Secrets. */
const secretMakers: ReadonlySet<string> = new Set([
  'Certificate',
  'ClusterExternalSecret',
  'ExternalSecret',
  'SealedSecret',
  'SopsSecret',
  'VaultDynamicSecret',
  'VaultStaticSecret',
]);

function isBefore(a: KubeObject, b: KubeObject): boolean {
  if (a.document.file !== b.document.file) return a.document.file < b.document.file;
  const [x, y] = [a, b].map(({ document, base }) => document.at(base));
  return (x?.line ?? 0) < (y?.line ?? 0);
}

const schemas = crds as { readonly [kind: string]: FieldSchema };

const whole = new Map<string, FieldSchema>();

/** The schema of a kind, with the fields that every object has. */
function schemaOf(group: string, kind: string, version: string): FieldSchema | undefined {
  const key = `${group}/${kind}/${version}`;
  const known = whole.get(key);
  if (known !== undefined) return known;
  const own = coreSchemas[`${group}/${kind}`] ?? schemas[key] ?? schemas[`${group}/${kind}`];
  if (own === undefined) return undefined;
  const anything: FieldSchema = { 'x-kubernetes-preserve-unknown-fields': true };
  const made: FieldSchema = {
    ...own,
    properties: {
      ...own.properties,
      apiVersion: anything,
      kind: anything,
      metadata: { type: 'object', ...anything },
      status: anything,
    },
  };
  whole.set(key, made);
  return made;
}
