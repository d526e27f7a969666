/** What a word means that Konverge shows people: a finding that has no example, a risk, a reason to hold, a state. */
export interface Page {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** Pages by the word that they are about. */
export type Pages<Word extends string = string> = { readonly [W in Word]: Page };

/** A page as Markdown. */
export function pageText(name: string, { what, why, fix }: Page, fixTitle = 'How to fix it'): string {
  return `# ${name}\n\n${what}\n\n## Why\n\n${why}\n\n## ${fixTitle}\n\n${fix}\n`;
}

/** What a page is about, in one line. */
export function firstSentence({ what }: Page): string {
  return what.replace(/\s+/g, ' ').replace(/^(.*?[.!?])(?: .*)?$/, '$1');
}
