import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, loadAll } from 'js-yaml';
import { z } from 'zod';
import { konverge } from '../../test/support/command-line.ts';
import type { Outcome } from './outcome.ts';

type Doc = { readonly [key: string]: unknown };

const object = z.object({
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    namespace: z.string().optional(),
    annotations: z.record(z.string(), z.unknown()).optional(),
  }),
});

const flags = z.object({ feature_flags: z.record(z.string(), z.boolean()) });

/** Flags of a controller, as keys of the configuration. */
const flagNames: Readonly<Record<string, string>> = {
  ExpressionRoutes: 'kubernetes.expressionRoutes',
  KongServiceFacade: 'kubernetes.serviceFacade',
  RewriteURIs: 'kubernetes.rewriteUris',
};

/** Differences that are meant; docs/kubernetes.md says why. */
const deliberate: Readonly<Record<string, string>> = {
  'fallback-config-kong-custom-entities-ee (default)': 'custom entities are never made without what they belong to',
};

/** Runs every case of the manifest corpus: what is rendered has to be the expected state, field by field. */
export async function kubernetesCases(folder: string, wanted: (name: string) => boolean): Promise<readonly Outcome[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'konverge-conformance-'));
  try {
    const outcomes: Outcome[] = [];
    for (const name of readdirSync(folder).sort()) {
      for (const file of readdirSync(join(folder, name)).sort()) {
        const variant = /^(.*)_golden\.yaml$/.exec(file)?.[1];
        const shown = `${name} (${variant})`;
        if (variant !== undefined && wanted(shown))
          outcomes.push(await runCase(shown, join(folder, name), variant, cwd));
      }
    }
    return outcomes;
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

async function runCase(name: string, folder: string, variant: string, cwd: string): Promise<Outcome> {
  const input = join(folder, 'in.yaml');
  const sets = ['apiDefaults=false', 'targets=endpoints'].map((set) => `kubernetes.${set}`);
  const words = [...sets, ...variantSets(folder, variant)].flatMap((set) => ['--set', set]);
  const ran = await konverge(
    ['render', '--format', 'dbless', '--ids', ...words, ...quarantineOf(input), input],
    cwd,
    {},
  );
  const group = name.startsWith('fallback-') ? 'with broken objects' : 'golden';
  const why = deliberate[name];
  const at = why === undefined ? { group, name } : { group: 'different on purpose', name };
  if (ran.code !== 0) return { ...at, passed: false, faults: [`exit ${ran.code}: ${ran.stderr.trim()}`] };
  const expected = flattened(readDoc(join(folder, `${variant}_golden.yaml`)));
  const found = flattened(asDoc(JSON.parse(ran.stdout)));
  const faults = differences(expected, found);
  if (why === undefined) return { ...at, passed: faults.length === 0, faults };
  return { ...at, passed: faults.length > 0, faults: faults.length > 0 ? [] : [`no difference any more: ${why}`] };
}

function variantSets(folder: string, variant: string): readonly string[] {
  if (variant === 'default') return [];
  const { feature_flags: set } = flags.parse(readDoc(join(folder, `${variant}_settings.yaml`)));
  return Object.entries(set).flatMap(([flag, on]) =>
    flagNames[flag] === undefined ? [] : [`${flagNames[flag]}=${on}`],
  );
}

function quarantineOf(input: string): readonly string[] {
  return loadAll(readFileSync(input, 'utf8'))
    .flatMap((doc) => {
      const parsed = object.safeParse(doc);
      return parsed.success ? [parsed.data] : [];
    })
    .filter(({ metadata }) => metadata.annotations?.['test.konghq.com/broken'] === 'true')
    .flatMap(({ kind, metadata: { namespace, name } }) => [
      '--quarantine',
      [kind, namespace, name].filter((part) => part !== undefined).join('/'),
    ]);
}

function readDoc(path: string): Doc {
  return asDoc(load(readFileSync(path, 'utf8')));
}

function asDoc(value: unknown): Doc {
  return z.record(z.string(), z.unknown()).parse(value);
}

function list(value: unknown): readonly Doc[] {
  return Array.isArray(value) ? value.map(asDoc) : [];
}

/** Keys under an entity that list its children, the kind of these, and the field by which they name it. */
const children: Readonly<Record<string, readonly (readonly [key: string, kind: string, field: string])[]>> = {
  services: [
    ['routes', 'routes', 'service'],
    ['plugins', 'plugins', 'service'],
  ],
  routes: [['plugins', 'plugins', 'route']],
  upstreams: [['targets', 'targets', 'upstream']],
  certificates: [['snis', 'snis', 'certificate']],
  consumers: [
    ...[
      'acls',
      'basicauth_credentials',
      'hmacauth_credentials',
      'jwt_secrets',
      'keyauth_credentials',
      'oauth2_credentials',
      'mtls_auth_credentials',
    ].map((kind) => [kind, kind, 'consumer'] as const),
  ],
};

/** A state with every entity in one flat list a kind, and every reference as what the entity it names is called. */
function flattened(doc: Doc): Readonly<Record<string, readonly Doc[]>> {
  const flat: Record<string, Doc[]> = {};
  const put = (kind: string, entity: Doc) => {
    const own: Record<string, unknown> = { ...entity };
    for (const [key, childKind, field] of children[kind] ?? []) {
      for (const child of list(own[key])) put(childKind, { ...child, [field]: nameOf(entity) });
      delete own[key];
    }
    flat[kind] = [...(flat[kind] ?? []), own];
  };
  for (const [kind, entities] of Object.entries(doc)) {
    if (kind.startsWith('_')) continue;
    for (const entity of list(entities)) put(kind, entity);
  }
  const names = new Map<string, string>();
  for (const entities of Object.values(flat)) {
    for (const entity of entities) if (typeof entity['id'] === 'string') names.set(entity['id'], nameOf(entity));
  }
  const fields = ['service', 'route', 'consumer', 'consumer_group', 'upstream', 'certificate', 'client_certificate'];
  for (const [kind, entities] of Object.entries(flat)) {
    flat[kind] = entities.map((entity) => {
      const named = fields.flatMap((field) => {
        const value = entity[field];
        const id = typeof value === 'object' && value !== null ? asDoc(value)['id'] : value;
        return typeof id === 'string' ? [[field, names.get(id) ?? id]] : [];
      });
      return { ...entity, ...Object.fromEntries(named) };
    });
  }
  // Kong refuses an empty configuration, so a controller sends this one in its place.
  const [only, ...others] = flat['upstreams'] ?? [];
  if (Object.keys(flat).length === 1 && others.length === 0 && JSON.stringify(only) === '{"name":"kong"}') return {};
  return flat;
}

function nameOf(entity: Doc): string {
  return String(entity['name'] ?? entity['username'] ?? entity['custom_id'] ?? entity['id'] ?? '');
}

/** What differs, one line each: lists are compared without order, ids only of kinds of which the golden has them. */
function differences(
  expected: Readonly<Record<string, readonly Doc[]>>,
  found: Readonly<Record<string, readonly Doc[]>>,
): readonly string[] {
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].sort().flatMap((kind) => {
    const all = expected[kind] ?? [];
    const withIds = all.filter((entity) => entity['id'] !== undefined).length === all.length && all.length > 0;
    const texts = (entities: readonly Doc[]) =>
      entities.map(({ id, ...entity }) => canonical(withIds ? { id, ...entity } : entity)).sort();
    const [wanted, had] = [texts(all), texts(found[kind] ?? [])];
    return [
      ...without(wanted, had).map((text) => `missing in ${kind}: ${text}`),
      ...without(had, wanted).map((text) => `too many in ${kind}: ${text}`),
    ];
  });
}

function without(list: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return list.filter((text) => {
    const at = left.indexOf(text);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{${entries
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`)
    .sort()
    .join(',')}}`;
}
