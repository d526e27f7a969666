import { expect, test } from 'vitest';
import type { ForgeSettings } from '../../src/config/status.ts';
import { fileLink } from '../../src/forge/file-link.ts';

const common = { token: 'not-a-secret', context: 'konverge' };

test.each<readonly [Exclude<ForgeSettings['kind'], 'bitbucket'>, string, string, string | null]>([
  [
    'github',
    'https://api.github.com',
    'acme/gateway',
    'https://github.com/acme/gateway/blob/abc/kong/a%20b%23.yaml#L7',
  ],
  [
    'github',
    'https://git.example.com/api/v3',
    'acme/gateway',
    'https://git.example.com/acme/gateway/blob/abc/kong/a%20b%23.yaml#L7',
  ],
  [
    'github',
    'https://api.acme.ghe.com',
    'acme/gateway',
    'https://acme.ghe.com/acme/gateway/blob/abc/kong/a%20b%23.yaml#L7',
  ],
  [
    'gitlab',
    'https://gitlab.com',
    'acme/api/gateway',
    'https://gitlab.com/acme/api/gateway/-/blob/abc/kong/a%20b%23.yaml#L7',
  ],
  ['gitlab', 'https://gitlab.com', '42', null],
  [
    'gitea',
    'https://gitea.example.com/',
    'acme/gateway',
    'https://gitea.example.com/acme/gateway/src/commit/abc/kong/a%20b%23.yaml#L7',
  ],
  [
    'forgejo',
    'https://forgejo.example.com',
    'acme/gateway',
    'https://forgejo.example.com/acme/gateway/src/commit/abc/kong/a%20b%23.yaml#L7',
  ],
  [
    'bitbucketDataCenter',
    'https://bb.example.com',
    'ACME/gateway',
    'https://bb.example.com/projects/ACME/repos/gateway/browse/kong/a%20b%23.yaml?at=abc#7',
  ],
  [
    'bitbucketDataCenter',
    'https://bb.example.com',
    '~ann/gateway',
    'https://bb.example.com/users/ann/repos/gateway/browse/kong/a%20b%23.yaml?at=abc#7',
  ],
  [
    'azure',
    'https://dev.azure.com/acme',
    'API team/gateway',
    'https://dev.azure.com/acme/API%20team/_git/gateway?path=%2Fkong%2Fa+b%23.yaml&version=GCabc&line=7&lineEnd=8&lineStartColumn=1&lineEndColumn=1',
  ],
])('%s at %s', (kind, url, repository, link) => {
  expect(fileLink({ ...common, kind, url, repository }, 'abc', 'kong/a b#.yaml', 7)).toBe(link);
});

test('Bitbucket Cloud', () => {
  const settings = { ...common, kind: 'bitbucket' as const, url: 'https://api.bitbucket.org', username: null };
  expect(fileLink({ ...settings, repository: 'acme/gateway' }, 'abc', 'a.yaml', 7)).toBe(
    'https://bitbucket.org/acme/gateway/src/abc/a.yaml#lines-7',
  );
});
