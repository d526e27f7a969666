/** What a text has to be like to match one of the patterns in Kong's schemas, for people who read no Lua. */
const wanted: { readonly [pattern: string]: string } = {
  '^/': 'must start with "/"',
  '^/ ^~/': 'must start with "/", or with "~/" where it is a regular expression',
  '^%u+$': 'must be of upper-case letters',
  '^[A-Z]+$': 'must be of upper-case letters',
  '^[^*]*%*?[^*]*$': 'must have one "*" at most',
  '^%*%. %.%*$ ^[^*]*$': 'must have its "*" as the whole first or last label',
  '%.%*$ ^%*%. ^[^*]*$': 'must have its "*" as the whole first or last label',
  '^[a-z][a-z%d-]-[a-z%d]+$': 'must be of lower-case letters, digits and "-", and start with a letter',
  '%w*%p*@+%w*%.?%w*': 'must be an e-mail address',
  '[a-zA-Z0-9]*[!-/:-@[-`{-~]*@+[a-zA-Z0-9]*%.?[a-zA-Z0-9]*': 'must be an e-mail address',
  '^.*[^:]$': 'must not end with ":"',
  '^[^*&%%\\`]+$': 'must be a path without "*", "&", "%" and "`"',
  '^[^:]+:.*$': 'must be a name and a value with ":" between',
  '^[0-9]+-[0-9]+$': 'must be a range of status codes such as 200-299',
  '^[%a_-][%a%d_-]*$': 'must be of letters, digits, "_" and "-", and not start with a digit',
  '^[0-9a-zA-Z/_+]+$': 'must be of letters, digits, "/", "_" and "+"',
};

const unwanted: { readonly [pattern: string]: string } = {
  '//': 'must not have two "/" in a row',
  '^[Hh][Oo][Ss][Tt]$': 'must not be the header Host, which "hosts" is for',
  '^[Cc][Oo][Nn][Tt][Ee][Nn][Tt]%-[Ll][Ee][nn][Gg][Tt][Hh]$': 'must not be the header Content-Length',
  '^[Cc][Oo][Nn][Tt][Ee][Nn][Tt]%-[Tt][Yy][Pp][Ee]$': 'must not be the header Content-Type',
};

/** What a text that matches none of the patterns must be like. */
export function wantedWords(...patterns: readonly string[]): string {
  const key = patterns.join(' ');
  const known = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
  if (known !== undefined) return known;
  return patterns.length === 1
    ? `must match the Lua pattern ${key}`
    : `must match one of the Lua patterns ${patterns.join(' and ')}`;
}

/** What a text that matches the pattern must not be like. */
export function unwantedWords(pattern: string): string {
  const known = Object.hasOwn(unwanted, pattern) ? unwanted[pattern] : undefined;
  return known ?? `must not match the Lua pattern ${pattern}`;
}
