import type { HiddenPart } from './mask-source.ts';

/** Keys whose values are never secret, whatever they stand in: names, addresses, what is matched, and lists of these. */
const openKeys: ReadonlySet<string> = new Set([
  ...['_format_version', '_workspace', '_comment', '_ignore', '_transform', 'select_tags', 'apiVersion', 'kind'],
  ...['metadata', 'namespace', 'labels', 'services', 'routes', 'upstreams', 'targets', 'snis', 'consumers'],
  ...['consumer_groups', 'groups', 'acls', 'plugins', 'name', 'instance_name', 'username', 'custom_id', 'tags'],
  ...['host', 'hosts', 'port', 'path', 'paths', 'pathType', 'protocol', 'protocols', 'methods', 'sources'],
  ...['destinations', 'expression', 'priority', 'regex_priority', 'strip_path', 'preserve_host', 'path_handling'],
  ...['https_redirect_status_code', 'request_buffering', 'response_buffering', 'retries', 'connect_timeout'],
  ...['read_timeout', 'write_timeout', 'enabled', 'weight', 'target', 'algorithm', 'group', 'consumer', 'service'],
  ...['route', 'upstream', 'rules', 'backend', 'spec', 'number', 'plugin', 'minute', 'hour', 'second', 'policy'],
]);

/** A key and its colon, as YAML and JSON write them. */
const keys = /(?<=^[\s-]*|[{[,]\s*)(["']?)([A-Za-z_][\w./-]*)\1\s*:(?=\s|$|["'[{])/g;

/**
 * What must not be shown of a line in a file that could not be read: without its structure, all that is known of a
 * value is the nearest key before it. Keys, brackets and commas stay, and the values of keys that never hold a secret.
 */
export function unreadParts(lines: readonly string[], line: number): readonly HiddenPart[] {
  const text = lines[line - 1] ?? '';
  const parts: HiddenPart[] = [];
  let isOpen = isBelowOpenKey(lines, line);
  let from = 0;
  const pass = (to: number) => {
    if (!isOpen) for (const one of hiddenWords(text, from, to)) parts.push(one);
    else for (const one of hiddenWords(text, from, to, /[:/][^\s"',[\]{}]*@[^\s"',[\]{}]*/g)) parts.push(one);
  };
  for (const match of text.matchAll(keys)) {
    pass(match.index);
    from = match.index + match[0].length;
    isOpen = openKeys.has(match[2] ?? '');
  }
  pass(text.length);
  return parts;
}

/** Runs of anything but blanks and what holds values together; where a form is given, only what has it. */
function hiddenWords(
  text: string,
  from: number,
  to: number,
  form: RegExp = /[^\s,[\]{}-](?:[^,[\]{}]*[^\s,[\]{}])?/g,
): readonly HiddenPart[] {
  return [...text.slice(from, to).matchAll(form)].map((match) => ({
    from: from + match.index + 1,
    to: from + match.index + match[0].length + 1,
  }));
}

/** Whether the nearest key above, of less indentation than a line that begins with none, never holds a secret. */
function isBelowOpenKey(lines: readonly string[], line: number): boolean {
  const indent = indentOf(lines[line - 1] ?? '');
  for (let index = line - 2; index >= 0; index -= 1) {
    const text = lines[index] ?? '';
    if (text.trim() === '' || text.trimStart().startsWith('#')) continue;
    const found = [...text.matchAll(keys)].at(-1);
    if (indentOf(text) > indent) continue;
    if (found !== undefined) return openKeys.has(found[2] ?? '');
    if (indentOf(text) < indent) return false;
  }
  return false;
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
