import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { z } from 'zod';
import { reasonOf } from './interpolate.ts';
import type { SectionReader } from './section-reader.ts';
import type { destinationSection } from './sections.ts';
import type { Connection, TlsSettings } from './settings.ts';
import type { KeyPath } from './tree.ts';

type Written = z.output<typeof destinationSection>;
type WrittenKong = NonNullable<Written['kong']>;
type WrittenKonnect = NonNullable<Written['konnect']>;

/** What connections need besides the section itself. */
export interface ConnectionContext {
  readonly reader: SectionReader;
  readonly path: KeyPath;
  readonly base: Base;
}

/** The way to other files. */
export interface Base {
  /** The configuration file, or null where there is none. */
  readonly file: string | null;
  /** The folder that relative paths start from, where it is not that of the process. */
  readonly cwd?: string;
  readonly readFile: (path: string) => string;
  /** Told every value that must never be shown. */
  readonly secret: (value: string) => void;
}

/** A path as the configuration means it: relative to the configuration file. */
export function pathBeside(base: Base, path: string): string {
  const beside = isAbsolute(path) || base.file === null ? path : join(dirname(base.file), path);
  return base.cwd === undefined ? beside : resolve(base.cwd, beside);
}

/** How a destination is reached. */
export function connectionOf(written: Written, context: ConnectionContext): Connection {
  const { kong, konnect } = written;
  if (kong !== undefined) return kongConnection(kong, { ...context, path: [...context.path, 'kong'] });
  if (konnect !== undefined) return konnectConnection(konnect, { ...context, path: [...context.path, 'konnect'] });
  throw context.reader.error([{ path: context.path, message: 'must have `kong` or `konnect`', hint: '' }]);
}

/** Headers that say nothing secret. */
const openHeaders = new Set(['accept', 'content-type', 'user-agent', 'host', 'accept-encoding', 'cache-control']);

function kongConnection(kong: WrittenKong, context: ConnectionContext): Connection {
  for (const [name, value] of Object.entries(kong.headers)) {
    if (!openHeaders.has(name.toLowerCase())) registerHeader(value, context.base);
  }
  for (const url of [kong.url, ...(kong.nodes ?? [])]) if (url !== undefined) registerUserinfo(url, context.base);
  const tls = tlsOf(kong, context);
  if (kong.url !== undefined) {
    return { type: 'kong', url: kong.url, headers: kong.headers, workspace: kong.workspace ?? null, tls };
  }
  const nodes = kong.nodes ?? [];
  const quorum = kong.quorum ?? 'all';
  if (kong.dns !== undefined) return { type: 'dbless', nodes, dns: kong.dns, headers: kong.headers, tls, quorum };
  if (quorum !== 'all' && quorum > nodes.length) {
    const message = `must not be more than the ${nodes.length} nodes`;
    throw context.reader.error([{ path: [...context.path, 'quorum'], message, hint: '' }]);
  }
  return { type: 'dbless', nodes, headers: kong.headers, tls, quorum };
}

function konnectConnection(konnect: WrittenKonnect, context: ConnectionContext): Connection {
  context.base.secret(konnect.token);
  return {
    type: 'konnect',
    url: konnect.url ?? `https://${konnect.region ?? 'us'}.api.konghq.com`,
    controlPlane: konnect.controlPlane,
    token: konnect.token,
    tls: tlsOf(konnect, context),
  };
}

function tlsOf(written: WrittenKong | WrittenKonnect, context: ConnectionContext): TlsSettings {
  const key = pemOf(written.key, [...context.path, 'key'], context);
  if (key !== null) context.base.secret(key);
  return {
    ca: pemOf(written.ca, [...context.path, 'ca'], context),
    cert: pemOf(written.cert, [...context.path, 'cert'], context),
    key,
    serverName: written.serverName ?? null,
  };
}

/** PEM text that was given as such or as the path of a file; null where nothing was given. */
export function pemOf(
  written: string | undefined,
  path: KeyPath,
  context: Pick<ConnectionContext, 'reader' | 'base'>,
): string | null {
  if (written === undefined) return null;
  if (written.includes('-----BEGIN ')) return written;
  if (written.includes('\n')) throw context.reader.error([{ path, message: 'is not PEM text', hint: '' }]);
  let text: string;
  try {
    text = context.base.readFile(pathBeside(context.base, written));
  } catch (thrown) {
    const message = `names a file that cannot be read${reasonOf(thrown)}`;
    throw context.reader.error([{ path, message, hint: 'Give PEM text or the path of a PEM file' }]);
  }
  if (text.includes('-----BEGIN ')) return text;
  throw context.reader.error([{ path, message: 'names a file that holds no PEM text', hint: '' }]);
}

/** Tells the password in a URL. */
export function registerUserinfo(url: string, base: Base): void {
  if (!URL.canParse(url)) return;
  const { password } = new URL(url);
  if (password === '') return;
  base.secret(password);
  base.secret(decoded(password));
}

/** A part of a URL without its escapes; one with a stray % is taken as it stands. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function registerHeader(value: string, base: Base): void {
  base.secret(value);
  const scheme = /^(?:Bearer|Basic|Token)\s+(.+)$/i.exec(value)?.[1];
  if (scheme !== undefined) base.secret(scheme);
}
