import type { Json } from './json.ts';

/** Phases for which the serverless plugins of Kong take Lua. */
const phases: ReadonlySet<string> = new Set([
  'certificate',
  'rewrite',
  'access',
  'header_filter',
  'body_filter',
  'log',
  'ws_handshake',
  'ws_client_frame',
  'ws_upstream_frame',
  'ws_close',
  'functions',
]);

/** Plugins that run the Lua of their phases. */
const serverless: ReadonlySet<string> = new Set(['pre-function', 'post-function']);

/** Fields of other plugins that hold Lua, one text or many. */
const luaField = /^(?:.*_)?by_lua$|^functions$|_count_function$/;

/** Whether a field of a plugin holds code, in which anything may stand: a password too, that no schema knows of. */
export function isCode(plugin: string, path: readonly string[], value: Json | undefined): boolean {
  if (typeof value !== 'string' || path[0] !== 'config') return false;
  return (serverless.has(plugin) && phases.has(path[1] ?? '')) || path.some((step) => luaField.test(step));
}
