import { generateKeyPairSync } from 'node:crypto';
import { azure } from '../../src/forge/azure.ts';
import { bitbucketCloud } from '../../src/forge/bitbucket-cloud.ts';
import { bitbucketDataCenter } from '../../src/forge/bitbucket-data-center.ts';
import { gitea } from '../../src/forge/gitea.ts';
import { github } from '../../src/forge/github.ts';
import { gitlab } from '../../src/forge/gitlab.ts';
import { systemClock } from '../../src/platform/system-clock.ts';
import { createHttpClient } from '../../src/platform/undici-client.ts';
import { startAzure } from '../support/forges/azure.ts';
import { startBitbucketCloud } from '../support/forges/bitbucket-cloud.ts';
import { startBitbucketDataCenter } from '../support/forges/bitbucket-data-center.ts';
import { forgeToken } from '../support/forges/emulator.ts';
import { startGitea } from '../support/forges/gitea.ts';
import { startGithub } from '../support/forges/github.ts';
import { startGitlab } from '../support/forges/gitlab.ts';
import type { WorldPull } from '../support/forges/pull-world.ts';
import type { ForgeUnderTest } from './contract.ts';

const repository = 'acme/gateway';
const branch = 'main';
const common = { createHttpClient, repository, branch };

const keys = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const appKeys = keys();
const otherKeys = keys();

/** The App that the emulated GitHub knows. */
export const knownApp = { id: 'Iv23liKonverge', installation: 99, publicKey: appKeys.publicKey };

/** The same as the configuration has it. */
export const githubApp = { id: knownApp.id, installation: knownApp.installation, key: appKeys.privateKey };

const named = (name: string) => name;
const pullRef = ({ number }: WorldPull) => `refs/pull/${number}/head`;
const sourceRef = ({ from, source }: WorldPull) => (from === 'here' ? `refs/heads/${source}` : null);

/** Every kind of forge, with its emulator. */
export const kinds: Readonly<Record<string, ForgeUnderTest>> = {
  GitHub: {
    section: 'status.github',
    pulls: { author: named, headRef: pullRef, hasTags: true },
    start: () => startGithub(repository),
    connect: (url, token, context, clock = systemClock) => github({ ...common, clock, url, token, context }),
  },
  'GitHub as an App': {
    section: 'status.github',
    pulls: { author: named, headRef: pullRef, hasTags: true },
    start: () => startGithub(repository, knownApp),
    connect: (url, token, context, clock = systemClock) => {
      const key = token === forgeToken ? githubApp.key : otherKeys.privateKey;
      return github({ ...common, clock, url, context, app: { ...githubApp, key } });
    },
  },
  GitLab: {
    section: 'status.gitlab',
    pulls: { author: named, headRef: ({ number }) => `refs/merge-requests/${number}/head`, hasTags: true },
    start: () => startGitlab('acme/apis/gateway'),
    connect: (url, token, context, clock = systemClock) =>
      gitlab({ ...common, clock, url, token, context, project: 'acme/apis/gateway' }),
  },
  Gitea: {
    section: 'status.gitea',
    pulls: { author: named, headRef: pullRef, hasTags: false },
    start: () => startGitea(repository),
    connect: (url, token, context, clock = systemClock) =>
      gitea({ ...common, clock, url, token, context, product: 'gitea' }),
  },
  Forgejo: {
    section: 'status.forgejo',
    pulls: { author: named, headRef: pullRef, hasTags: false },
    start: () => startGitea(repository),
    connect: (url, token, context, clock = systemClock) =>
      gitea({ ...common, clock, url, token, context, product: 'forgejo' }),
  },
  'Bitbucket Cloud': {
    section: 'status.bitbucket',
    pulls: { author: (name, server) => `${name} {${server.pulls.uuidOf(name)}}`, headRef: sourceRef, hasTags: false },
    start: () => startBitbucketCloud(repository),
    connect: (url, token, context, clock = systemClock) =>
      bitbucketCloud({ ...common, clock, url, token, context, username: null }),
  },
  'Bitbucket Data Center': {
    section: 'status.bitbucketDataCenter',
    pulls: { author: named, headRef: ({ number }) => `refs/pull-requests/${number}/from`, hasTags: false },
    start: () => startBitbucketDataCenter('ACME/gateway'),
    connect: (url, token, context, clock = systemClock) =>
      bitbucketDataCenter({ ...common, clock, url, token, context, repository: 'ACME/gateway' }),
  },
  'Azure DevOps': {
    section: 'status.azure',
    pulls: { author: (name) => `${name}@example.com`, headRef: sourceRef, hasTags: false },
    start: () => startAzure('API team/gateway'),
    connect: (url, token, context, clock = systemClock) =>
      azure({ ...common, clock, url, token, context, repository: 'API team/gateway' }),
  },
};
