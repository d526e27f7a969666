const secretWord = /authorization|cookie|token|secret|passw|api[-_]?key|credential/i;

/** A name and a value in one text: `name:value`, and what people write for it; a blank only behind a header's name. */
const pair = /^\s*([\w-]+)(?:\s*[:;=,]|\s+(?<=^\s*(?:\w+-[\w-]+|authorization|apikey)\s+)\S)/i;

/** A scheme of the header `Authorization` and what follows it, but for words that speak of the scheme itself. */
const scheme = /(?:^|[\s:;=,"'])(?:bearer|basic)[\s:;=,]+(?!(?:auth\w*|tokens?|scheme|realm|plugin)\b)\S/i;

/** Whether a name (of a header, a parameter or a key) says that its value is a secret. */
export function isSecretWord(name: string): boolean {
  return secretWord.test(name);
}

/**
 * Whether a text is likely to hold a secret: a header or a parameter whose name says so, well-formed or not, or what
 * stands in a header `Authorization`.
 */
export function isCredentialText(text: string): boolean {
  const name = pair.exec(text)?.[1];
  return (name !== undefined && secretWord.test(name)) || scheme.test(text);
}
