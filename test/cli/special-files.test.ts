import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';

test('what has the name of a file and is a socket is told of', async () => {
  const folder = await temporaryFolder({
    'k/kong.yaml': '_format_version: "3.0"\nservices: [{name: a, host: a.example.com}]\n',
  });
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(join(folder.path, 'k/f.yaml'), resolve);
  });
  const ran = await konverge(['validate', 'k'], folder.path);
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('error[file-not-regular]: This is no regular file');
  await new Promise((resolve) => {
    server.close(resolve);
  });
  await folder.remove();
});
