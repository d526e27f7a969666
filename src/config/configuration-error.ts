/** Where a key of the configuration was written. Lines and columns start at 1. */
export interface ConfigurationPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with the configuration. Holds no value of the configuration that may be secret. */
export interface ConfigurationFault {
  /** The key with dots, destinations by name: `destinations.edge.kong.url`. Empty for the file as a whole. */
  readonly key: string;
  /** What is wrong, as the rest of a sentence that begins with the key: `must be a text`. */
  readonly message: string;
  /** What to do, or an empty text. */
  readonly hint: string;
  /** Null where the key is not in a file. */
  readonly place: ConfigurationPlace | null;
}

/** The configuration cannot be used. All that was found wrong is told at once; commands end with exit code 78. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly faults: readonly ConfigurationFault[];

  constructor(faults: readonly ConfigurationFault[]) {
    super(sorted(faults).map(faultLine).join('\n'));
    this.faults = sorted(faults);
  }
}

/** A fault as one line: `konverge.yaml:3:5: destinations.edge.name must be a text. Hint.` */
export function faultLine(fault: ConfigurationFault): string {
  const { place, key, message, hint } = fault;
  const at = place === null ? '' : `${place.file}:${place.line}:${place.column}: `;
  return `${at}${key === '' ? '' : `${key} `}${message}${hint === '' ? '' : `. ${hint}`}`;
}

function sorted(faults: readonly ConfigurationFault[]): readonly ConfigurationFault[] {
  return [...faults].sort((a, b) => {
    if (a.place === null || b.place === null) return Number(a.place !== null) - Number(b.place !== null);
    return a.place.line - b.place.line || a.place.column - b.place.column;
  });
}
