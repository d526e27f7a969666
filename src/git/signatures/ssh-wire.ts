/** Reads the types of SSH (RFC 4251, 5) one after the other; throws SshFormError where they do not fit the bytes. */
export class SshReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Whether all was read. */
  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new SshFormError('it ends too early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  uint32(): number {
    return this.take(4).readUInt32BE(0);
  }

  string(): Buffer {
    return this.take(this.uint32());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  /** A positive number without the zero that keeps its sign; only its shortest form is taken. */
  mpint(): Buffer {
    const bytes = this.string();
    const [first = 0, second = 0] = bytes;
    if (bytes.length === 0 || first >= 0x80 || (first === 0 && second < 0x80)) {
      throw new SshFormError('a number is not in its one form');
    }
    return first === 0 ? bytes.subarray(1) : bytes;
  }

  end(): void {
    if (!this.atEnd) throw new SshFormError('something follows its end');
  }
}

/** What is wrong with the form of something of SSH. */
export class SshFormError extends Error {
  override readonly name = 'SshFormError';
}

/** A string of SSH: its length, then its bytes. */
export function sshString(value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'latin1') : value;
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
