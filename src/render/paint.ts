/** What a piece of text is, so that a terminal can show it. */
export type Ink = 'error' | 'warning' | 'info' | 'bold' | 'gutter' | 'good';

/** Gives text its colour, or leaves it as it is. */
export type Paint = (ink: Ink, text: string) => string;

const codes: { readonly [I in Ink]: string } = {
  error: '1;31',
  warning: '1;33',
  info: '1;36',
  bold: '1',
  gutter: '1;34',
  good: '1;32',
};

/** A painter for a terminal that takes ANSI colours, or one that changes nothing. */
export function painter(color: boolean): Paint {
  return color ? (ink, text) => `\u001b[${codes[ink]}m${text}\u001b[0m` : (_ink, text) => text;
}
