/** What a finding of reading files means: it has no example that could be built, for reading is where it fails. */
export interface ReadingPage {
  readonly what: string;
  readonly why: string;
  readonly fix: string;
}

/** Pages by the name of the finding. */
export type ReadingPages = { readonly [name: string]: ReadingPage };

/** A page as Markdown. */
export function readingPage(name: string, { what, why, fix }: ReadingPage): string {
  return `# ${name}\n\n${what}\n\n## Why\n\n${why}\n\n## How to fix it\n\n${fix}\n`;
}
