/** Values that go with a log line. Revision and destination are always fields, never part of the message. */
export interface LogFields {
  readonly [name: string]: string | number | boolean | null | undefined | readonly string[];
}

/** A log with static messages: one line tells one fact. */
export interface Log {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A log whose every line has these fields too. */
  child(fields: LogFields): Log;
}

/** A log that drops everything. */
export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silentLog,
};
