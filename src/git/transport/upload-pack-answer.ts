/**
 * The error that an answer of upload-pack holds, or null. isomorphic-git drops both forms, and then takes a fetch that
 * brought nothing for a success. Packet lines: gitprotocol-common; `ERR` and side band 3: gitprotocol-pack.
 */
export function remoteError(chunks: readonly Uint8Array[]): string | null {
  let carry: Buffer = Buffer.alloc(0);
  let skip = 0;
  for (const chunk of chunks) {
    if (skip >= chunk.length) {
      skip -= chunk.length;
      continue;
    }
    const rest = Buffer.from(chunk.buffer, chunk.byteOffset + skip, chunk.length - skip);
    carry = carry.length === 0 ? rest : Buffer.concat([carry, rest]);
    skip = 0;
    const found = scan(carry);
    if (found.error !== null) return found.error;
    // What is skipped may reach into chunks that follow.
    skip = Math.max(0, found.next - carry.length);
    carry = found.next >= carry.length ? Buffer.alloc(0) : carry.subarray(found.next);
  }
  return null;
}

const longestError = 1000;

/** Goes through the packet lines; `next` is where the first one that is not all there starts, or ends if it is data. */
function scan(bytes: Buffer): { error: string | null; next: number } {
  let at = 0;
  while (at + 4 <= bytes.length) {
    const digits = bytes.toString('latin1', at, at + 4);
    // A pack without side band follows the last line: there is nothing to find in it.
    if (!/^[0-9a-f]{4}$/.test(digits)) return { error: null, next: Number.POSITIVE_INFINITY };
    const length = Number.parseInt(digits, 16);
    if (length < 4) {
      at += 4;
      continue;
    }
    if (length > 4 && at + 8 > bytes.length) break;
    const text = bytes.toString('utf8', at + 4, Math.min(bytes.length, at + length, at + longestError));
    const start = errorStart(text);
    if (start > 0 && at + length > bytes.length) break;
    if (start > 0) return { error: clean(text.slice(start)), next: at };
    at += length;
  }
  return { error: null, next: at };
}

/** Where the words of an error start in a packet line, or 0 when it is none. */
function errorStart(line: string): number {
  if (line.startsWith('ERR ')) return 'ERR '.length;
  return line.charCodeAt(0) === 3 ? 1 : 0;
}

function clean(text: string): string {
  return text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .replace(/\.+$/, '');
}
