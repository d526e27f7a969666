/** What is wrong with a file of keys: thrown while it is read, and told with the file's name. */
export class KeyFault extends Error {
  override readonly name = 'KeyFault';
  /** The line, counted from 1; null where the file as a whole is meant. */
  readonly line: number | null;
  readonly hint: string;

  /** `message` goes on after the name of the file: `holds no key`. */
  constructor(line: number | null, message: string, hint: string) {
    super(message);
    this.line = line;
    this.hint = hint;
  }
}
