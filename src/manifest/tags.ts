import type { DocumentDirective } from 'js-yaml';

const standard = 'tag:yaml.org,2002:';

/** Full names of the tags that a list and a mapping may carry. */
export const tagNames = { sequence: `${standard}seq`, mapping: `${standard}map` } as const;

/** The full name of a tag as written (`!!str`, `!<…>`, `!x`), by the directives of its document. */
export function fullTagName(written: string, directives: readonly DocumentDirective[]): string {
  if (written.startsWith('!<')) return written.slice(2, -1);
  const handleEnd = written.indexOf('!', 1);
  const handle = handleEnd === -1 ? '!' : written.slice(0, handleEnd + 1);
  const suffix = written.slice(handle.length);
  for (const directive of directives) {
    if (directive.kind === 'tag' && directive.handle === handle) return directive.prefix + suffix;
  }
  return handle === '!!' ? standard + suffix : written;
}
