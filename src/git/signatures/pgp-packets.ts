/**
 * The bodies of the signature packets (RFC 9580, 4.2) that bytes consist of; null where there is anything else, none, or
 * a length that says how it goes on only later.
 */
export function signatureBodies(bytes: Uint8Array): readonly Uint8Array[] | null {
  const bodies: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    const header = headerAt(bytes, at);
    if (header === null || header.tag !== signatureTag || header.start + header.length > bytes.length) return null;
    at = header.start + header.length;
    bodies.push(bytes.subarray(header.start, at));
  }
  return bodies.length === 0 ? null : bodies;
}

const signatureTag = 2;

interface Header {
  readonly tag: number;
  readonly start: number;
  readonly length: number;
}

function headerAt(bytes: Uint8Array, at: number): Header | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = bytes[at] ?? 0;
  const fits = (count: number) => at + count <= bytes.length;
  if ((first & 0x80) === 0) return null;
  if ((first & 0x40) !== 0) {
    const tag = first & 0x3f;
    const length = bytes[at + 1] ?? 255;
    if (length < 192) return { tag, start: at + 2, length };
    if (length < 224 && fits(3))
      return { tag, start: at + 3, length: (length - 192) * 256 + view.getUint8(at + 2) + 192 };
    return length === 255 && fits(6) ? { tag, start: at + 6, length: view.getUint32(at + 2) } : null;
  }
  const tag = (first >> 2) & 0x0f;
  switch (first & 0x03) {
    case 0:
      return fits(2) ? { tag, start: at + 2, length: view.getUint8(at + 1) } : null;
    case 1:
      return fits(3) ? { tag, start: at + 3, length: view.getUint16(at + 1) } : null;
    case 2:
      return fits(5) ? { tag, start: at + 5, length: view.getUint32(at + 1) } : null;
    default:
      return null;
  }
}
