import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { konverge } from '../support/command-line.ts';
import { type Folder, temporaryFolder } from '../support/folder.ts';
import { startServer, type TestServer } from '../support/http-server.ts';

let folder: Folder;
let server: TestServer;
let reply: { readonly status: number; readonly type: string; readonly body: string };

beforeAll(async () => {
  folder = await temporaryFolder({
    'konverge.yaml': `destinations: [{ name: edge, kong: { url: "http://127.0.0.1:1" } }]\n`,
  });
  server = await startServer((_, response) => {
    response.writeHead(reply.status, { 'content-type': reply.type });
    response.end(reply.body);
  });
});
afterAll(async () => {
  await server.close();
  await folder.remove();
});

const commands = [
  ['status'],
  ['status', '--format', 'json'],
  ['history'],
  ['sync', 'edge'],
  ['suspend', 'edge'],
  ['resume', 'edge'],
  ['approve', 'edge', 'sha256:00'],
];

describe.each([
  ['a page', { status: 200, type: 'text/html', body: '<html>' }],
  ['another API', { status: 200, type: 'application/json', body: '{"ok":true}' }],
  ['JSON that is nothing', { status: 200, type: 'application/json', body: 'null' }],
  ['an Admin API', { status: 404, type: 'application/json', body: '{"message":"Not found"}' }],
  ['a proxy', { status: 404, type: 'text/plain', body: 'no' }],
])('where %s answers, every command says that it is no Konverge', (_, answer) => {
  test.each(commands)('%s %s', async (...words) => {
    reply = answer;
    const ran = await konverge([...words.filter((word) => typeof word === 'string'), '--url', server.url], folder.path);
    expect(ran).toMatchObject({ code: 1, stdout: '' });
    expect(ran.stderr).toContain('is no Konverge');
    expect(ran.stderr).toContain('server.listen');
    expect(ran.stderr).not.toContain('a fault of Konverge itself');
    expect(ran.stderr.split(server.url).length - 1).toBe(1);
  });
});

test("a daemon's own words are shown, and its address once", async () => {
  reply = { status: 404, type: 'application/json', body: '{"message":"there is no destination \\"edgy\\""}' };
  const ran = await konverge(['sync', 'edgy', '--url', server.url], folder.path);
  expect(ran.stderr).toBe(
    `konverge: there is no destination "edgy" (POST ${server.url}/api/v1/destinations/edgy/sync)\n`,
  );
  reply = { status: 401, type: 'application/json', body: '{"message":"the token of `server.token` is needed"}' };
  expect((await konverge(['status', '--url', server.url], folder.path)).stderr).toContain('that is sent');
  reply = { status: 500, type: 'text/plain', body: 'oh' };
  const failed = await konverge(['status', '--url', server.url], folder.path);
  expect(failed.stderr.split(server.url).length - 1).toBe(1);
});
