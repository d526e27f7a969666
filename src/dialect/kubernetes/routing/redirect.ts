import type { Json, JsonObject } from '../../../model/json.ts';
import { numberAt, textAt } from '../objects/values.ts';

/** What carries out a redirect: a plugin, and a header of the answer where the plugin has none of its own. */
export interface Redirect {
  readonly plugin: { readonly name: string; readonly config: { [key: string]: Json } };
  readonly locationHeader: string | null;
}

/** The Gateway API's status of a redirect that names none. */
const defaultStatus = 302;

/** The filter RequestRedirect: by the plugin `redirect` where Kong has it (3.9), else by two others (kic.md 6.5). */
export function redirectPlugins(filter: JsonObject, matchPath: string, hasRedirect: boolean): Redirect {
  const status_code = numberAt(filter, 'statusCode') ?? defaultStatus;
  const path = textAt(filter, 'path', 'replaceFullPath');
  const hostname = textAt(filter, 'hostname');
  // The plugin takes whole URLs only.
  if (hasRedirect && hostname !== null) {
    const location = `${origin(filter, hostname)}${path ?? '/'}`;
    const config = { status_code, location, ...(path === null ? { keep_incoming_path: true } : {}) };
    return { plugin: { name: 'redirect', config }, locationHeader: null };
  }
  const target = path ?? matchPath;
  const scheme = textAt(filter, 'scheme') ?? 'http';
  // Without a port a controller takes 80 for HTTPS too; objects that are taken as they were written stay so.
  const port = numberAt(filter, 'port') ?? 80;
  const location = hostname === null ? target : `${scheme}://${joined(`${hostname}:${port}`, target)}`;
  return {
    plugin: { name: 'request-termination', config: { status_code } },
    locationHeader: `Location: ${location}`,
  };
}

/** Scheme, host and port of the new address. */
function origin(filter: JsonObject, hostname: string): string {
  const scheme = textAt(filter, 'scheme') ?? 'http';
  const port = numberAt(filter, 'port');
  const usual = scheme === 'https' ? 443 : 80;
  return `${scheme}://${hostname}${port === null || port === usual ? '' : `:${port}`}`;
}

function joined(host: string, path: string): string {
  return `${host}/${path}`.replace(/\/{2,}/g, '/').replace(/\/$/, '');
}
