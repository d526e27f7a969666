import { StoreDamage } from './store-damage.ts';

interface Varint {
  readonly value: number;
  readonly next: number;
}

function readVarint(bytes: Uint8Array, start: number): Varint {
  let value = 0;
  let scale = 1;
  for (let at = start; at < bytes.length && at < start + 7; at += 1) {
    const byte = bytes[at] ?? 0;
    // Multiplied rather than shifted: sizes may pass 32 bits.
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw new StoreDamage('broken', 'a delta ends in the middle of a number');
}

/** The size that a delta says its result has, from the delta's first bytes. */
export function deltaResultSize(delta: Uint8Array): number {
  return readVarint(delta, readVarint(delta, 0).next).value;
}

const largestResult = 2 ** 31;

/** Applies a delta to its base (gitformat-pack, "Deltified representation"). Throws StoreDamage unless both fit. */
export function applyDelta(base: Uint8Array, delta: Uint8Array): Buffer {
  const baseSize = readVarint(delta, 0);
  const resultSize = readVarint(delta, baseSize.next);
  if (baseSize.value !== base.length) throw new StoreDamage('broken', 'a delta does not fit its base');
  if (resultSize.value > largestResult) throw new StoreDamage('broken', 'a delta promises more than any object holds');
  const result = Buffer.allocUnsafe(resultSize.value);
  let at = resultSize.next;
  let written = 0;
  while (at < delta.length) {
    const instruction = delta[at] ?? 0;
    at += 1;
    let from = delta;
    let start = at;
    let size = instruction;
    if (instruction >= 0x80) {
      const copy = readCopy(delta, at, instruction);
      from = base;
      ({ start, size } = copy);
      at = copy.next;
    } else {
      at += size;
    }
    if (size === 0 || start + size > from.length || written + size > result.length) {
      throw new StoreDamage('broken', 'a delta reaches outside its base or its result');
    }
    result.set(from.subarray(start, start + size), written);
    written += size;
  }
  if (written !== result.length) throw new StoreDamage('broken', 'a delta leaves its result incomplete');
  return result;
}

/** A copy instruction: bits 0 to 3 say which bytes of the offset follow, bits 4 to 6 which of the size. */
function readCopy(delta: Uint8Array, from: number, instruction: number): { start: number; size: number; next: number } {
  let next = from;
  const parts = [0, 0, 0, 0, 0, 0, 0].map((_, bit) => {
    if ((instruction & (1 << bit)) === 0) return 0;
    next += 1;
    return delta[next - 1] ?? 0;
  });
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0] = parts;
  const size = e + f * 0x100 + g * 0x10000;
  return { start: a + b * 0x100 + c * 0x10000 + d * 0x1000000, size: size === 0 ? 0x10000 : size, next };
}
