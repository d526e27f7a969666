import { createHash } from 'node:crypto';
import { renderDbless } from '../../model/dbless-form.ts';
import { kinds } from '../../model/kinds.ts';
import type { State } from '../../model/state.ts';

/** The hash that a node without any configuration reports (kong.md "DB-less"). */
export const emptyHash = '0'.repeat(32);

/** A body whose length is known before it is made: piece by piece, anew for each time that it is sent. */
export interface MadeBody {
  readonly length: number;
  readonly pieces: () => Iterable<Uint8Array>;
}

/** What nodes are sent: bytes that all of them share, or what is made while it is sent. */
export type ConfigBody = Uint8Array | MadeBody;

/** Characters that are escaped or hashed at a time. */
const pieceLength = 64 * 1024;

/** Texts up to this length become one body that all nodes share: making it anew for each would cost more than it saves. */
const sharedLength = 16 * 1024 * 1024;

const [head, tail] = ['{"config":"', '"}'];

/**
 * The body that brings a state to a node: `{"config": <its text>}`, so that the hash is known beforehand (kong.md). The
 * text of a large state is escaped while it is sent, and there is never a second copy of it.
 */
export function configBody(state: State): ConfigBody {
  return bodyOf(renderDbless(state));
}

/** The body of a configuration's text. */
export function bodyOf(text: string): ConfigBody {
  if (text.length <= sharedLength) return Buffer.from(`{"config":${JSON.stringify(text)}}`);
  let length = head.length + tail.length;
  for (const piece of pieces(text)) length += Buffer.byteLength(escaped(piece));
  return {
    length,
    pieces: function* () {
      yield Buffer.from(head);
      for (const piece of pieces(text)) yield Buffer.from(escaped(piece));
      yield Buffer.from(tail);
    },
  };
}

/** The length of a body in bytes. */
export function lengthOf(body: ConfigBody): number {
  return body instanceof Uint8Array ? body.byteLength : body.length;
}

const hashes = new WeakMap<State, string>();

/**
 * The hash that a node reports once it has a state: the MD5 of the text it was sent, or zeros for a configuration that
 * holds nothing (kong.md).
 */
export function hashOf(state: State): string {
  const known = hashes.get(state);
  if (known !== undefined) return known;
  const isEmpty = [...state.entities].every(([kind, list]) => kinds[kind].dbless === null || list.length === 0);
  const hash = isEmpty ? emptyHash : md5(renderDbless(state));
  hashes.set(state, hash);
  return hash;
}

function md5(text: string): string {
  const hash = createHash('md5');
  for (const piece of pieces(text)) hash.update(piece, 'utf8');
  return hash.digest('hex');
}

function escaped(piece: string): string {
  return JSON.stringify(piece).slice(1, -1);
}

/** The text in pieces, none of which ends between the two halves of a character. */
function* pieces(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + pieceLength);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}
