import { expect, test } from 'vitest';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';

function load(more: string) {
  const text = `repository: { url: "https://git.example.com/a.git", branch: main }\ndestinations: [{ name: a, kong: { url: "http://a:8001" } }]\n${more}`;
  return () => loadConfiguration(['konverge.yaml'], noOverrides, { env: () => undefined, readFile: () => text });
}

test('reviews need a forge under status', () => {
  const message = 'review needs one of the forges, and `status` names no forge';
  expect(load('review: {}\n')).toThrow(message);
  expect(load('review: {}\nstatus: {}\n')).toThrow(message);
  expect(load('review: {}\nstatus: { github: { repository: acme/gateway, token: made-up } }\n')).not.toThrow();
});
