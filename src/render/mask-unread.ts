import type { HiddenPart, LineMask } from './mask-source.ts';

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
const keys = /(?=["'A-Za-z_])(?<=^[\s-]*|[{[,]\s*)(["']?)([A-Za-z_][\w./-]*)\1\s*:(?=\s|$|["'[{])/g;

/**
 * What must not be shown of a line in a file that could not be read: without its structure, all that is known of a
 * value is the nearest key before it. Keys, brackets and commas stay, and the values of keys that never hold a secret.
 */
export function unreadMask(lines: readonly string[]): LineMask {
  const isBelowOpenKey = linesBelowOpenKeys(lines);
  return (line) => unreadParts(lines[line - 1] ?? '', isBelowOpenKey[line - 1] === true);
}

function unreadParts(text: string, isBelowOpenKey: boolean): readonly HiddenPart[] {
  const parts: HiddenPart[] = [];
  let isOpen = isBelowOpenKey;
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

/** Of each line whether the nearest key above, of no more indentation, never holds a secret. */
function linesBelowOpenKeys(lines: readonly string[]): readonly boolean[] {
  const above: { readonly indent: number; readonly isOpen: boolean | null; readonly isBelowOpen: boolean }[] = [];
  return lines.map((text) => {
    const indent = indentOf(text);
    const isSkipped = text.trim() === '' || text.trimStart().startsWith('#');
    const last = above.findLast((one) => one.indent <= indent);
    // A line without a key says nothing of those beside it, and hides those below it.
    const isBelowOpen = last !== undefined && (last.isOpen ?? (last.indent === indent && last.isBelowOpen));
    if (isSkipped) return isBelowOpen;
    while ((above.at(-1)?.indent ?? -1) >= indent) above.pop();
    const found = [...text.matchAll(keys)].at(-1);
    above.push({ indent, isOpen: found === undefined ? null : openKeys.has(found[2] ?? ''), isBelowOpen });
    return isBelowOpen;
  });
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}
