import git, { type HttpClient } from 'isomorphic-git';
import { gitFailure, publicUrl } from '../git-failure.ts';
import { StoreDamage } from '../objects/store-damage.ts';

/** What is asked of a server: one commit, with so many generations of its history. */
export interface PackRequest {
  readonly want: string;
  /** A commit that is there with all its files; what is the same in it is not sent again. */
  readonly have: string | null;
  /** Commits on the way back from `have` whose parents are not there. */
  readonly boundary: readonly string[];
  /** 1: the commit itself, without its parents. */
  readonly depth: number;
}

/** What a server sent. */
export interface PackAnswer {
  /** Commits whose parents were not sent, besides those of the request's boundary. */
  readonly shallow: readonly string[];
  /** Commits of the request's boundary whose parents are there now. */
  readonly unshallow: readonly string[];
  /** Empty when the server had nothing to add. */
  readonly pack: Buffer;
}

/**
 * Fetches over protocol version 0, which every server speaks (gitprotocol-pack, gitprotocol-http).
 *
 * Not done by isomorphic-git's `fetch`, because that asks for no thin packs: for want of them a server sends the whole
 * tree again for every commit of a shallow repository, or else, without a depth, all the history behind the first
 * merge. It also fails on a repository whose HEAD names no branch, and writes refs before it has the pack.
 */
export async function fetchPack(http: HttpClient, url: string, request: PackRequest): Promise<PackAnswer> {
  const remote = await git.getRemoteInfo2({ http, url, protocolVersion: 1, headers: {} });
  const offered = new Set(Object.keys(remote.capabilities));
  if (!offered.has('shallow') || !offered.has('side-band-64k')) {
    throw gitFailure({
      class: 'rejected',
      code: 'git-too-old',
      message: `The Git server at ${publicUrl(url)} can send no part of a history.`,
      hint: 'It has to offer the capabilities shallow and side-band-64k, as Git does since 2006.',
      url,
    });
  }
  const wanted = ['side-band-64k', 'ofs-delta', 'thin-pack', 'no-progress'].filter((name) => offered.has(name));
  const answer = await http.request({
    method: 'POST',
    url: `${url}/git-upload-pack`,
    headers: {
      'content-type': 'application/x-git-upload-pack-request',
      accept: 'application/x-git-upload-pack-result',
    },
    body: single(Buffer.from(writeRequest(request, wanted))),
  });
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.body ?? []) chunks.push(chunk);
  return parseAnswer(Buffer.concat(chunks));
}

async function* single(body: Buffer): AsyncIterableIterator<Uint8Array> {
  yield body;
}

const flush = '0000';

function writeRequest(request: PackRequest, capabilities: readonly string[]): string {
  const lines = [
    packetLine(`want ${request.want} ${[...capabilities, 'agent=konverge'].join(' ')}`),
    ...request.boundary.map((id) => packetLine(`shallow ${id}`)),
    packetLine(`deepen ${request.depth}`),
    flush,
  ];
  if (request.have !== null) lines.push(packetLine(`have ${request.have}`));
  lines.push(packetLine('done'));
  return lines.join('');
}

/** Only ASCII comes here, so characters are bytes. */
function packetLine(text: string): string {
  return `${(text.length + 5).toString(16).padStart(4, '0')}${text}\n`;
}

function parseAnswer(answer: Buffer): PackAnswer {
  const shallow: string[] = [];
  const unshallow: string[] = [];
  const pack: Buffer[] = [];
  let at = 0;
  let ended = false;
  while (at + 4 <= answer.length) {
    const length = Number.parseInt(answer.toString('latin1', at, at + 4), 16);
    if (!(length >= 4) || at + length > answer.length) {
      // A flush ends the list of shallow commits, and then the pack.
      if (length !== 0) throw new StoreDamage('broken', 'the answer is no sequence of packet lines');
      ended = true;
      at += 4;
      continue;
    }
    ended = false;
    const line = answer.subarray(at + 4, at + length);
    at += length;
    if (line[0] === 1) pack.push(line.subarray(1));
    else if (line[0] !== 2) readLine(line.toString('latin1').trim(), shallow, unshallow);
  }
  if (!ended || at !== answer.length) throw new StoreDamage('broken', 'the answer ends too early');
  return { shallow, unshallow, pack: Buffer.concat(pack) };
}

function readLine(line: string, shallow: string[], unshallow: string[]): void {
  const [, word, id] = /^(shallow|unshallow) ([0-9a-f]{40})$/.exec(line) ?? [];
  if (id === undefined) return;
  if (word === 'shallow') shallow.push(id);
  else unshallow.push(id);
}
