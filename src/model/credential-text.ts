const secretWord = /authorization|cookie|token|secret|passw|api[-_]?key|credential/i;

/** A name and a value in one text: `name:value`, and what people write for it; a blank only behind a header's name. */
const pair = /^\s*([\w-]+)(?:\s*[:;=,]|\s+(?<=^\s*(?:\w+-[\w-]+|authorization|apikey)\s+)\S)/i;

/** A scheme of the header `Authorization` and what follows it, but for words that speak of the scheme itself. */
const scheme = /(?:^|[\s:;=,"'])(?:bearer|basic)[\s:;=,]+(?!(?:auth\w*|tokens?|scheme|realm|plugin)\b)\S/i;

/** An address with a user before its host: whatever stands before the last `@` where a password may, or no path begins. */
const userinfo = /(?:^|[\w+.-]:|[\s"'(,=])\/\/(?:[^\s@/?#]+|[^\s@]*:[^\s@]*)@/;

/** A parameter of an address whose name says that its value is a secret. */
const parameter = /[?&;]([\w.-]+)=[^&#\s]/g;

/** Whether a text holds an address with a user name or password, or with a secret among its parameters. */
function hasSecretAddress(text: string): boolean {
  if (!text.includes('//')) return false;
  return userinfo.test(text) || [...text.matchAll(parameter)].some(([, name = '']) => secretWord.test(name));
}

/** Whether a name (of a header, a parameter or a key) says that its value is a secret. */
export function isSecretWord(name: string): boolean {
  return secretWord.test(name);
}

/**
 * Whether a text is likely to hold a secret: a header or a parameter whose name says so, well-formed or not, what
 * stands in a header `Authorization`, or an address with a user.
 */
export function isCredentialText(text: string): boolean {
  const name = pair.exec(text)?.[1];
  return (name !== undefined && secretWord.test(name)) || scheme.test(text) || hasSecretAddress(text);
}
