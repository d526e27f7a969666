/** The paths of a route whose prefix is replaced: the rest of a path is a group for the plugin to use. */
export function prefixPaths(path: string): readonly string[] {
  return isRoot(path) ? ['~/$', '~/(.*)'] : [`~${trimmed(path)}$`, `~${trimmed(path)}(/.*)`];
}

/** What request-transformer makes of a path whose prefix is replaced; a group that took nothing is nil. */
export function prefixUri(replacement: string | null, path: string): string {
  if (replacement === null) return '/';
  const start = trimmed(replacement);
  if (isRoot(path))
    return `${start}$(uri_captures[1] == nil and "${start === '' ? '/' : ''}" or "/" .. uri_captures[1])`;
  return start === '' ? '$(uri_captures[1] == nil and "/" or uri_captures[1])' : `${start}$(uri_captures[1])`;
}

function trimmed(path: string): string {
  return path.replace(/\/$/, '');
}

function isRoot(path: string): boolean {
  return trimmed(path) === '';
}
