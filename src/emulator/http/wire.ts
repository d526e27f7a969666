import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../model/json.ts';
import type { Answer } from './answers.ts';
import { bodyLimitBytes, formPairs, type WireRequest } from './request.ts';

/** Makes a server listen, and gives its port. Fails where the port is taken. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops a server and cuts its connections. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Reads a request whole. `target` is its path with the query, as it came. */
export async function readRequest(
  incoming: IncomingMessage,
): Promise<{ readonly request: WireRequest; readonly target: string }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    // What is over the limit is read, so that the client gets its answer, and not kept.
    if (length <= bodyLimitBytes + 1) chunks.push(chunk);
  }
  const target = incoming.url ?? '/';
  const body = length > bodyLimitBytes ? Buffer.alloc(bodyLimitBytes + 1) : Buffer.concat(chunks);
  const headers: { [name: string]: string | undefined } = {};
  for (const [name, value] of Object.entries(incoming.headers)) {
    headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return { request: { method: incoming.method ?? 'GET', ...split(target), headers, body }, target };
}

/** A request that did not come over the wire. */
export function innerRequest(method: string, target: string, body?: JsonObject | string): WireRequest {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    method,
    ...split(target),
    headers: { ...type, authorization: 'Bearer emulator' },
    body: Buffer.from(text),
  };
}

function split(target: string): { readonly path: string; readonly query: ReadonlyMap<string, string> } {
  const mark = target.indexOf('?');
  if (mark === -1) return { path: target, query: new Map() };
  const query = new Map<string, string>();
  // Of an argument that is there twice, Kong takes the first.
  for (const [key, value] of formPairs(target.slice(mark + 1))) if (!query.has(key)) query.set(key, value);
  return { path: target.slice(0, mark), query };
}

/** Sends an answer. `headers` go beside its own. */
export function send(
  outgoing: ServerResponse,
  told: Answer,
  method: string,
  headers: { readonly [name: string]: string },
): void {
  const all = { ...headers, ...told.headers };
  const isBodiless = told.status === 204 || told.status === 304;
  if (told.body === undefined || isBodiless) {
    outgoing.writeHead(told.status, isBodiless ? all : { ...all, 'Content-Length': '0' });
    outgoing.end();
    return;
  }
  const text = told.html === true ? String(told.body) : JSON.stringify(told.body);
  const type = told.html === true ? 'text/html' : 'application/json; charset=utf-8';
  const length = String(Buffer.byteLength(text));
  outgoing.writeHead(told.status, { 'Content-Type': type, 'Content-Length': length, ...all });
  outgoing.end(method === 'HEAD' ? undefined : text);
}
