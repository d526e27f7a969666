import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';

function load(text: string, secret: (value: string) => void = () => undefined) {
  return loadConfiguration(['k.yaml'], noOverrides, { env: () => undefined, readFile: () => text, secret });
}

/** What is wrong with a text, when it is loaded or its section is read. */
function faults(text: string): readonly string[] {
  try {
    load(text).status();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return thrown.faults.map(({ key, message }) => `${key} ${message}`);
  }
}

const all = `status:
  github: { repository: acme/gateway, token: t1 }
  gitlab: { project: acme/apis/gateway, token: t2, url: "https://git.example.com/gitlab/api/v4/" }
  gitea: { url: "https://gitea.example.com", repository: acme/gateway, token: t3, context: shop }
  forgejo: { url: "https://forgejo.example.com/api/v1", repository: acme/gateway, token: t4 }
  bitbucket: { repository: acme/gateway, username: me@example.com, token: t5 }
  bitbucketDataCenter: { url: "https://bitbucket.example.com", repository: ~jane/gateway, token: t6 }
  azure: { url: "https://dev.azure.com/acme", repository: API team/gateway, token: t7 }
`;

test('every forge is read, one or several, and its token is told for a secret', () => {
  const told: string[] = [];
  const { forges } = load(all, (value) => told.push(value)).status();
  expect(told).toEqual(['t1', 't2', 't3', 't4', 't5', 't6', 't7']);
  const konverge = { context: 'konverge' };
  const repository = 'acme/gateway';
  expect(forges).toEqual([
    { kind: 'github', url: 'https://api.github.com', repository, token: 't1', ...konverge },
    {
      kind: 'gitlab',
      url: 'https://git.example.com/gitlab',
      repository: 'acme/apis/gateway',
      token: 't2',
      ...konverge,
    },
    { kind: 'gitea', url: 'https://gitea.example.com', repository, token: 't3', context: 'shop' },
    { kind: 'forgejo', url: 'https://forgejo.example.com', repository, token: 't4', ...konverge },
    {
      kind: 'bitbucket',
      url: 'https://api.bitbucket.org',
      repository,
      username: 'me@example.com',
      token: 't5',
      ...konverge,
    },
    {
      kind: 'bitbucketDataCenter',
      url: 'https://bitbucket.example.com',
      repository: '~jane/gateway',
      token: 't6',
      ...konverge,
    },
    { kind: 'azure', url: 'https://dev.azure.com/acme', repository: 'API team/gateway', token: 't7', ...konverge },
  ]);
});

test('GitLab by number and without a URL, Bitbucket without a user', () => {
  const { forges } = load(
    'status: { gitlab: { project: "17", token: t }, bitbucket: { repository: a/b, token: t } }',
  ).status();
  expect(forges).toMatchObject([
    { kind: 'gitlab', url: 'https://gitlab.com', repository: '17' },
    { kind: 'bitbucket', username: null },
  ]);
});

test.each([
  ['status: { gitlab: { project: gateway, token: t } }', 'status.gitlab.project must be GROUP/NAME'],
  ['status: { gitea: { repository: a/b, token: t } }', 'status.gitea.url is missing'],
  ['status: { azure: { url: "https://x", repository: a, token: t } }', 'status.azure.repository must be PROJECT/NAME'],
  ['status: { github: { repository: a/b, token: t, context: "a/b" } }', 'status.github.context must be 1 to 60'],
  ['status: { bitbucketServer: {} }', 'status.bitbucketServer is not a known key'],
])('%s is refused', (text, fault) => {
  expect(faults(text).join('\n')).toContain(fault);
});

describe('a GitHub App', () => {
  const keyOf = (type: 'rsa' | 'ed25519') => {
    const encoding = { format: 'pem', type: 'pkcs8' } as const;
    if (type === 'ed25519') return generateKeyPairSync('ed25519').privateKey.export(encoding).toString();
    return generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export(encoding).toString();
  };
  const withKey = (key: string) =>
    `status: { github: { repository: a/b, app: { id: Iv1.0a, installation: 7, key: ${JSON.stringify(key)} } } }`;

  test('is read in the place of a token, and its key is told for a secret', () => {
    const key = keyOf('rsa');
    const told: string[] = [];
    expect(load(withKey(key), (value) => told.push(value)).status().forges).toEqual([
      {
        kind: 'github',
        url: 'https://api.github.com',
        repository: 'a/b',
        context: 'konverge',
        app: { id: 'Iv1.0a', installation: 7, key },
      },
    ]);
    expect(told).toEqual([key]);
    const numbered = load(withKey(key).replace('Iv1.0a', '4711')).status().forges[0];
    expect(numbered).toMatchObject({ app: { id: '4711' } });
  });

  test.each([
    ['status: { github: { repository: a/b } }', 'status.github needs `token` or `app`'],
    [
      'status: { github: { repository: a/b, token: t, app: { id: "1", installation: 7, key: k } } }',
      'status.github.app cannot stand together with `token`',
    ],
    [withKey(keyOf('ed25519')), 'status.github.app.key is no RSA private key'],
    ['status: { github: { repository: a/b, app: { id: "1", key: k } } }', 'status.github.app.installation'],
  ])('%s is refused', (text, fault) => {
    expect(faults(text).join('\n')).toContain(fault);
  });
});
