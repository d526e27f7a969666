/** The parts of a rule's documentation page. */
export interface Page {
  readonly title: string;
  /** What the rule checks. */
  readonly what: string;
  /** Why it matters to Kong and to whoever runs it. */
  readonly why: string;
  /** A decK file, as YAML, that the rule objects to. */
  readonly bad: string;
  /** The same, put right. */
  readonly good: string;
  /** How to put it right. */
  readonly fix: string;
  /** What the examples are for, where not for any destination. */
  readonly destination?: 'dbless' | 'konnect' | 'expressions';
}

/**
 * A rule's page as Markdown. The examples stand in fences tagged `yaml bad` and `yaml good` (and the destination,
 * where they are for one); a test builds both, so that they stay true. What certificates and keys they need come from the environment.
 */
export function page({ title, what, why, bad, good, fix, destination }: Page): string {
  const of = destination === undefined ? '' : ` ${destination}`;
  return [
    `# ${title}`,
    what.trim(),
    '## Why',
    why.trim(),
    '## Wrong',
    fence(`bad${of}`, bad),
    '## Right',
    fence(`good${of}`, good),
    '## How to fix it',
    `${fix.trim()}\n`,
  ].join('\n\n');
}

function fence(tag: string, text: string): string {
  return `\`\`\`yaml ${tag}\n${text.trim()}\n\`\`\``;
}
