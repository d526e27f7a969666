import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { isLoopback } from './checks.ts';
import { writtenClaim } from './claims.ts';
import { type Base, connectionOf, decoded, pathBeside, pemOf, registerUserinfo } from './connection.ts';
import { kubernetesSection } from './kubernetes.ts';
import { isNamed, type NotifySettings, notifyOf, notifySection } from './notify.ts';
import { type ReviewSettings, reviewOf, reviewSection } from './review.ts';
import { rolloutOf } from './rollout.ts';
import { kongSection, rulesSection, serverSection, storageSection } from './root.ts';
import { namedSchemas, type SchemasFile, usualSchemas, usualSchemasPath } from './schemas-file.ts';
import type { SectionReader } from './section-reader.ts';
import { destinationSection, limitsSection, policySection, repositorySection, scopeKeys } from './sections.ts';
import type {
  Configuration,
  DestinationSettings,
  GitAuth,
  KongAssumptions,
  Limits,
  Policy,
  RepositorySettings,
  ServerSettings,
} from './settings.ts';
import { forgesOf, isRsaKey, type StatusSettings, statusSection } from './status.ts';
import { isMapping, type KeyPath, valueAt } from './tree.ts';
import { readVerify } from './verify.ts';

type WrittenPolicy = z.output<typeof policySection>;
type WrittenLimits = z.output<typeof limitsSection>;

/** The configuration over a tree that was found right; resolves a section when it is first asked for, and once. */
export function loadedConfiguration(reader: SectionReader, base: Base): Configuration {
  const known = new Map<string, unknown>();
  const once =
    <T>(key: string, make: () => T) =>
    (): T => {
      if (!known.has(key)) known.set(key, make());
      return known.get(key) as T;
    };
  const list = valueAt(reader.tree, ['destinations']);
  const names = (Array.isArray(list) ? list : []).map((item) => String(isMapping(item) ? item['name'] : ''));
  const pathOf = (name: string): KeyPath => {
    const index = names.indexOf(name);
    if (index !== -1) return ['destinations', index];
    const hint = names.length === 0 ? 'The configuration has no destinations' : `There are: ${names.join(', ')}`;
    throw reader.error([{ path: ['destinations'], message: `has none named \`${name}\``, hint }]);
  };
  return {
    file: base.file,
    destinationNames: names,
    repository: once('repository', () => readRepository(reader, base)),
    verify: once('verify', () => readVerify(reader, base)),
    files: once('files', () => readFiles(reader)),
    destination: (name) => once(`destination ${name}`, () => readDestination(reader, base, pathOf(name)))(),
    scope: (name) => once(`scope ${name}`, () => readScope(reader, pathOf(name)))(),
    policy: once('policy', () => policyOf([reader.read(['policy'], policySection)])),
    policyOf: (name) => {
      const own = reader.read([...pathOf(name), 'policy'], policySection);
      return policyOf([own, reader.read(['policy'], policySection)]);
    },
    claim: (name) => {
      const written = valueAt(reader.tree, pathOf(name));
      return writtenClaim(isMapping(written) ? written : {});
    },
    rules: once('rules', () => reader.read(['rules'], rulesSection)),
    kong: once('kong', () => readKong(reader)),
    schemas: (name) => readSchemas(reader, base, name === null ? null : { name, path: pathOf(name) }, names),
    schemasPath: (name) => {
      const written = schemasKey(reader, [...pathOf(name), 'schemas']);
      return written === null ? usualSchemasPath(base, name) : pathBeside(base, written);
    },
    kubernetes: once('kubernetes', () => reader.read(['kubernetes'], kubernetesSection)),
    status: once('status', () => readStatus(reader, base)),
    notify: once('notify', () => readNotify(reader, base, names)),
    review: once('review', () => readReview(reader)),
    server: once('server', () => readServer(reader, base)),
    storage: once('storage', () => ({ path: pathBeside(base, reader.read(['storage'], storageSection).path) })),
  };
}

/** What is assumed of a Kong; its router is that for which routes are made of manifests, unless it is said. */
function readKong(reader: SectionReader): KongAssumptions {
  const { schemas: _, ...assumed } = reader.read(['kong'], kongSection);
  const { expressionRoutes } = reader.read(['kubernetes'], kubernetesSection);
  const router =
    valueAt(reader.tree, ['kong', 'router']) === undefined && expressionRoutes ? 'expressions' : assumed.router;
  return { ...assumed, router, editionSaid: valueAt(reader.tree, ['kong', 'edition']) !== undefined };
}

/**
 * The schemas that are assumed: those that a destination's own key names, else those in the usual place by its name,
 * else those of `kong.schemas`. Where there is one destination only, checks for none in particular are for it.
 */
function readSchemas(
  reader: SectionReader,
  base: Base,
  destination: { readonly name: string; readonly path: KeyPath } | null,
  names: readonly string[],
): SchemasFile | null {
  if (destination !== null) {
    const key = [...destination.path, 'schemas'];
    const own = schemasKey(reader, key);
    const file = own === null ? usualSchemas(destination.name, base) : namedSchemas(own, key, reader, base);
    if (file !== null) return file;
  }
  const key = ['kong', 'schemas'];
  const shared = schemasKey(reader, key);
  if (shared !== null) return namedSchemas(shared, key, reader, base);
  const [only, ...others] = names;
  if (destination !== null || only === undefined || others.length > 0) return null;
  return readSchemas(reader, base, { name: only, path: ['destinations', 0] }, names);
}

function schemasKey(reader: SectionReader, key: KeyPath): string | null {
  const written = valueAt(reader.tree, key);
  return written === undefined ? null : reader.parse(key, written, z.string());
}

/** Pull requests are reviewed where the configuration says how, if with nothing but the section's name. */
function readReview(reader: SectionReader): ReviewSettings | null {
  if (valueAt(reader.tree, ['review']) === undefined) return null;
  return reviewOf(reader.read(['review'], reviewSection));
}

function readRepository(reader: SectionReader, base: Base): RepositorySettings | null {
  if (valueAt(reader.tree, ['repository']) === undefined) return null;
  const written = reader.read(['repository'], repositorySection);
  registerUserinfo(written.url, base);
  if (written.proxy !== undefined) registerUserinfo(written.proxy, base);
  const { url, auth } = remoteOf(written, reader, base);
  return {
    url,
    branch: written.branch.replace(/^refs\/heads\//, ''),
    path: plainPath(written.path),
    ignore: written.ignore,
    intervalMs: written.interval,
    history: written.history,
    auth,
    ca: pemOf(written.ca, ['repository', 'ca'], { reader, base }),
    proxy: written.proxy ?? null,
    timeoutMs: written.timeout,
    packLimitBytes: written.packLimit,
  };
}

const filesSection = z.strictObject({ path: repositorySection.shape.path, ignore: repositorySection.shape.ignore });

function readFiles(reader: SectionReader): Pick<RepositorySettings, 'path' | 'ignore'> {
  const written = valueAt(reader.tree, ['repository']);
  const own = isMapping(written) ? written : {};
  const keys = Object.fromEntries(Object.entries(own).filter(([key]) => Object.hasOwn(filesSection.shape, key)));
  const { path, ignore } = reader.parse(['repository'], keys, filesSection);
  return { path: plainPath(path), ignore };
}

function plainPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
}

/** The address without userinfo, which becomes a way to sign in: it would otherwise stand in every message. */
function remoteOf(
  written: z.output<typeof repositorySection>,
  reader: SectionReader,
  base: Base,
): Pick<RepositorySettings, 'url' | 'auth'> {
  const { url, auth } = written;
  if (/^file:\/\//i.test(url)) return { url: fileURLToPath(url), auth: { type: 'none' } };
  if (!/^https?:\/\//i.test(url)) return { url: pathBeside(base, url), auth: { type: 'none' } };
  if (!URL.canParse(url)) {
    throw reader.error([{ path: ['repository', 'url'], message: 'must be an https or http URL', hint: '' }]);
  }
  const parsed = new URL(url);
  const { username, password } = parsed;
  parsed.username = '';
  parsed.password = '';
  if (username === '' && password === '') return { url: parsed.href, auth: authOf(auth, base) };
  const basic: GitAuth = {
    type: 'basic',
    username: decoded(username),
    password: decoded(password),
  };
  return { url: parsed.href, auth: basic };
}

function authOf(auth: z.output<typeof repositorySection>['auth'], base: Base): GitAuth {
  if (auth?.token !== undefined) {
    base.secret(auth.token);
    return { type: 'token', token: auth.token };
  }
  if (auth?.username === undefined || auth.password === undefined) return { type: 'none' };
  base.secret(auth.password);
  return { type: 'basic', username: auth.username, password: auth.password };
}

function readDestination(reader: SectionReader, base: Base, path: KeyPath): DestinationSettings {
  const written = reader.read(path, destinationSection);
  return {
    name: written.name,
    connection: connectionOf(written, { reader, path, base }),
    include: written.include,
    exclude: written.exclude,
    tags: written.tags,
    rollout: rolloutOf({
      after: written.after,
      soak: written.soak,
      windows: written.windows,
      freeze: written.freeze,
      probes: written.probes,
      updateInterval: written.updateInterval,
    }),
    policy: policyOf([written.policy ?? {}, reader.read(['policy'], policySection)]),
    limits: limitsOf([written.limits ?? {}, reader.read(['limits'], limitsSection)]),
  };
}

function readScope(reader: SectionReader, path: KeyPath): ReturnType<Configuration['scope']> {
  const written = valueAt(reader.tree, path);
  const own = isMapping(written) ? written : {};
  const keys = Object.fromEntries(Object.keys(scopeKeys).flatMap((key) => (key in own ? [[key, own[key]]] : [])));
  const name = (key: KeyPath): string | null => {
    const value = valueAt(reader.tree, [...path, ...key]);
    return value === undefined ? null : reader.parse([...path, ...key], value, z.string());
  };
  return {
    ...reader.parse(path, keys, z.strictObject(scopeKeys)),
    workspace: name(['kong', 'workspace']),
    controlPlane: name(['konnect', 'controlPlane']),
    mode: modeOf(reader, path),
  };
}

/** A Kong at an address may or may not have a database, which it says itself. */
function modeOf(reader: SectionReader, path: KeyPath): 'dbless' | 'konnect' | null {
  const has = (...key: KeyPath) => valueAt(reader.tree, [...path, ...key]) !== undefined;
  if (has('konnect')) return 'konnect';
  return has('kong', 'nodes') || has('kong', 'dns') ? 'dbless' : null;
}

/** A policy: each key from the first that has it, else the default. */
function policyOf(written: readonly WrittenPolicy[]): Policy {
  const first = <K extends keyof WrittenPolicy>(key: K) => written.find((one) => one[key] !== undefined)?.[key];
  const limit = (key: 'share' | 'atLeast') =>
    written.find((one) => one.maxDelete?.[key] !== undefined)?.maxDelete?.[key];
  return {
    onInvalid: first('onInvalid') ?? 'reject',
    prune: first('prune') ?? true,
    adopt: first('adopt') ?? false,
    maxDelete: { share: limit('share') ?? 0.3, atLeast: limit('atLeast') ?? 10 },
    drift: first('drift') ?? 'correct',
    driftIntervalMs: first('driftInterval') ?? 300_000,
    driftIgnore: first('driftIgnore') ?? [],
    driftReport: first('driftReport') ?? [],
    protect: first('protect') ?? ['konverge-protected'],
    onUnhealthy: first('onUnhealthy') ?? 'hold',
  };
}

function limitsOf(written: readonly WrittenLimits[]): Limits {
  const first = (key: keyof WrittenLimits) => written.find((one) => one[key] !== undefined)?.[key];
  return {
    timeoutMs: first('timeout') ?? 30_000,
    concurrency: first('concurrency') ?? 8,
    bodyLimitBytes: first('bodyLimit') ?? 64 * 1024 ** 2,
    // What nginx_admin_client_max_body_size is when nobody sets it (kong.md).
    configLimitBytes: first('configLimit') ?? 10 * 1024 ** 2,
  };
}

function readStatus(reader: SectionReader, base: Base): StatusSettings {
  const path = ['status', 'github', 'app', 'key'];
  const forges = forgesOf(reader.read(['status'], statusSection), (written) => {
    const key = pemOf(written, path, { reader, base }) ?? '';
    base.secret(key);
    if (!isRsaKey(key))
      throw reader.error([{ path, message: 'is no RSA private key', hint: 'GitHub makes it for the App' }]);
    return key;
  });
  for (const forge of forges) if ('token' in forge) base.secret(forge.token);
  return { forges };
}

function readNotify(reader: SectionReader, base: Base, names: readonly string[]): readonly NotifySettings[] {
  if (valueAt(reader.tree, ['notify']) === undefined) return [];
  return notifyOf(reader.read(['notify'], notifySection)).map((sink, index) => {
    base.secret(sink.url);
    if (sink.token !== null) base.secret(sink.token);
    const fitting = sink.destinations.map((pattern, place) => {
      const found = names.filter((name) => isNamed(name, pattern));
      if (found.length > 0) return found;
      const path = ['notify', index, 'destinations', place];
      throw reader.error([{ path, message: 'fits no destination', hint: `There are: ${names.join(', ')}` }]);
    });
    return { ...sink, destinations: [...new Set(fitting.flat())] };
  });
}

function readServer(reader: SectionReader, base: Base): ServerSettings {
  const written = reader.read(['server'], serverSection);
  if (written.token !== undefined) base.secret(written.token);
  const colon = written.listen.lastIndexOf(':');
  const port = Number(written.listen.slice(colon + 1));
  const fault = (message: string, hint: string) => reader.error([{ path: ['server', 'listen'], message, hint }]);
  if (port > 65_535) throw fault('must have a port from 0 to 65535', '');
  if (written.token === undefined && !isLoopback(written.listen)) {
    throw fault('is reachable from other machines, so `server.token` is needed', 'Set a token, or listen on 127.0.0.1');
  }
  return {
    host: written.listen.slice(0, colon).replace(/^\[|\]$/g, ''),
    port,
    token: written.token ?? null,
    publicUrl: written.publicUrl ?? null,
  };
}
