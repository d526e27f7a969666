/** A commit object, taken apart for its signature. */
export type SplitCommit =
  | {
      readonly readable: true;
      /** What was signed: the object without its signatures. */
      readonly payload: Uint8Array;
      /** The text of the signature, without the spaces that continue its header; null where there is none. */
      readonly signature: string | null;
      /** When it was committed by its own word, in seconds since 1970; null where it does not say. */
      readonly committedAt: number | null;
    }
  | { readonly readable: false; readonly why: string };

const lf = 0x0a;
const space = 0x20;

/** The longest headers that are gone through: a merge of many signed tags has a few thousand bytes for each. */
const mostHeaderBytes = 1024 * 1024;

/** Headers that hold a signature of this object, in the form of one hash or the other; no part of what is signed. */
const ownSignature = 'gpgsig';
const otherSignature = 'gpgsig-sha256';

/**
 * Cuts the signatures out of the bytes of a commit object, as Git's parse_signed_commit does. Only headers count: what
 * stands in the message is part of what is signed. A repository with SHA-1 names has its signature in `gpgsig`; one in
 * `gpgsig-sha256` is over the same commit with other names, which are not known here. Git takes two signatures of one
 * kind together, passes over unknown headers that begin alike, and stops at a NUL in places: all these are refused.
 */
export function splitCommit(raw: Uint8Array): SplitCommit {
  if (raw.includes(0)) return unreadable('the commit holds a NUL byte');
  const headers = Buffer.from(raw.buffer, raw.byteOffset, raw.length).indexOf('\n\n');
  if ((headers === -1 ? raw.length : headers) > mostHeaderBytes)
    return unreadable('the headers of the commit are too long');
  const payload: Uint8Array[] = [];
  const signature: string[] = [];
  const seen = new Set<string>();
  let inside: string | null = null;
  let committedAt: number | null = null;
  let at = 0;
  while (at < raw.length && raw[at] !== lf) {
    const end = raw.indexOf(lf, at);
    // A header that ends with the object: there is no message.
    const next = end === -1 ? raw.length : end + 1;
    const line = raw.subarray(at, next);
    const text = Buffer.from(raw.subarray(at, end === -1 ? raw.length : end)).toString('latin1');
    if (line[0] !== space) {
      const name: string = text.split(' ', 1)[0] ?? '';
      inside = name === ownSignature || name === otherSignature ? name : null;
      if (inside !== null && seen.has(inside)) return unreadable(`the commit has two ${inside} headers`);
      if (inside === null && name.startsWith(ownSignature)) return unreadable(`${shown(name)} is no header of Git`);
      seen.add(name);
      if (inside === ownSignature) signature.push(text.slice(ownSignature.length + 1));
      if (name === 'committer') committedAt = timeOf(text);
    } else if (inside === ownSignature) {
      signature.push(text.slice(1));
    }
    if (inside === null) payload.push(line);
    at = next;
  }
  payload.push(raw.subarray(at));
  if (signature.length === 0 && seen.has(otherSignature)) {
    return unreadable('the commit is signed only by its SHA-256 name, which a repository of SHA-1 names does not tell');
  }
  return {
    readable: true,
    payload: Buffer.concat(payload),
    signature: signature.length === 0 ? null : signature.join('\n'),
    committedAt,
  };
}

function unreadable(why: string): SplitCommit {
  return { readable: false, why };
}

/** `committer NAME <ADDRESS> SECONDS ZONE`, of which the last two are what Git itself puts there. */
function timeOf(line: string): number | null {
  const seconds = /> (\d{1,12}) [+-]\d{4}$/.exec(line)?.[1];
  return seconds === undefined ? null : Number(seconds);
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 40));
}
