import { pino } from 'pino';
import type { Log, LogFields } from './log.ts';
import { prettyLine } from './pretty-line.ts';
import type { Redactor } from './redact.ts';

/** How a log is written. */
export interface LogOptions {
  /** `json`: one JSON object a line. `pretty`: one line for people. */
  readonly format: 'json' | 'pretty';
  /** The least severe level that is written. */
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Where lines go; each call gets one line with its line break. */
  readonly stream: { write(line: string): unknown };
  /** Whether a pretty line may have colours. */
  readonly colour: boolean;
  /** Masks secrets in every message and value. */
  readonly redactor: Redactor;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A log on pino. JSON lines have `time` (ISO 8601), `level`, the fields, and `message`, in this order. */
export function createLog(options: LogOptions): Log {
  const { stream, colour } = options;
  const destination =
    options.format === 'json'
      ? { write: (line: string) => void stream.write(line) }
      : { write: (line: string) => void stream.write(prettyLine(line, colour)) };
  const root = pino(
    {
      base: null,
      level: options.level,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(options.now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return logOver(root, options.redactor);
}

interface Sink {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  child(fields: object): Sink;
}

function logOver(sink: Sink, redactor: Redactor): Log {
  return {
    debug: (fields, message) => sink.debug(clean(fields, redactor), redactor.redact(message)),
    info: (fields, message) => sink.info(clean(fields, redactor), redactor.redact(message)),
    warn: (fields, message) => sink.warn(clean(fields, redactor), redactor.redact(message)),
    error: (fields, message) => sink.error(clean(fields, redactor), redactor.redact(message)),
    child: (fields) => logOver(sink.child(clean(fields, redactor)), redactor),
  };
}

/** Masks values, not whole lines: a line stays JSON whatever a secret looks like. */
function clean(fields: LogFields, redactor: Redactor): object {
  const cleaned: { [name: string]: LogFields[string] } = {};
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') cleaned[name] = redactor.redact(value);
    else if (typeof value === 'object' && value !== null) cleaned[name] = value.map((item) => redactor.redact(item));
    else if (value !== undefined) cleaned[name] = value;
  }
  return cleaned;
}
