/**
 * The bytes between the lines `-----BEGIN LABEL-----` and `-----END LABEL-----`, or null where the text is anything but
 * one such block in its one form: nothing before or after it, full lines of Base64 without stray bits, and where the
 * block has a checksum (RFC 9580, 6.1) the right one. `headers` says whether lines such as `Version: …` may come first.
 */
export function dearmored(text: string, label: string, headers: boolean): Uint8Array | null {
  let end = text.length;
  // Not by an expression: what is put there by anybody may take one too long.
  while (text[end - 1] === '\n') end -= 1;
  const lines = text.slice(0, end).split('\n');
  if (lines.shift() !== `-----BEGIN ${label}-----` || lines.pop() !== `-----END ${label}-----`) return null;
  if (headers) {
    const blank = lines.findIndex((line) => /^[ \t]*$/.test(line));
    if (blank === -1 || !lines.slice(0, blank).every((line) => /^[A-Za-z][\w-]*: /.test(line))) return null;
    lines.splice(0, blank + 1);
  }
  const checksum = headers && /^=[A-Za-z0-9+/]{4}$/.test(lines.at(-1) ?? '') ? lines.pop()?.slice(1) : undefined;
  const whole = lines.slice(0, -1).every((line) => line.length === lines[0]?.length);
  const bytes = whole ? base64(lines.join('')) : null;
  if (bytes === null || bytes.length === 0) return null;
  return checksum === undefined || base64(checksum)?.equals(crc24(bytes)) === true ? bytes : null;
}

/** The bytes of Base64 text in its one form, with padding; null for any other text. */
export function base64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

function crc24(bytes: Uint8Array): Buffer {
  let crc = 0xb704ce;
  for (const byte of bytes) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit += 1) {
      crc <<= 1;
      if ((crc & 0x1000000) !== 0) crc ^= 0x1864cfb;
    }
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]);
}
