const known = new Map<string, RegExp>();

/** A regular expression in the syntax of Go (RE2), as far as schemas and rules use it. */
export function pattern(source: string): RegExp {
  const before = known.get(source);
  if (before !== undefined) return before;
  const plain = source.replaceAll('(?i)', '').replaceAll('\\x60', '`').replaceAll('\\A', '^').replaceAll('\\z', '$');
  const made = new RegExp(plain, source.includes('(?i)') ? 'i' : '');
  known.set(source, made);
  return made;
}
