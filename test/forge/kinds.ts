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
import { startGitea } from '../support/forges/gitea.ts';
import { startGithub } from '../support/forges/github.ts';
import { startGitlab } from '../support/forges/gitlab.ts';
import type { ForgeUnderTest } from './contract.ts';

const repository = 'acme/gateway';
const branch = 'main';
const common = { clock: systemClock, createHttpClient, repository, branch };

/** Every kind of forge, with its emulator. */
export const kinds: Readonly<Record<string, ForgeUnderTest>> = {
  GitHub: {
    section: 'status.github',
    start: () => startGithub(repository),
    connect: (url, token, context) => github({ ...common, url, token, context }),
  },
  GitLab: {
    section: 'status.gitlab',
    start: () => startGitlab('acme/apis/gateway'),
    connect: (url, token, context) => gitlab({ ...common, url, token, context, project: 'acme/apis/gateway' }),
  },
  Gitea: {
    section: 'status.gitea',
    start: () => startGitea(repository),
    connect: (url, token, context) => gitea({ ...common, url, token, context, product: 'gitea' }),
  },
  Forgejo: {
    section: 'status.forgejo',
    start: () => startGitea(repository),
    connect: (url, token, context) => gitea({ ...common, url, token, context, product: 'forgejo' }),
  },
  'Bitbucket Cloud': {
    section: 'status.bitbucket',
    start: () => startBitbucketCloud(repository),
    connect: (url, token, context) => bitbucketCloud({ ...common, url, token, context, username: null }),
  },
  'Bitbucket Data Center': {
    section: 'status.bitbucketDataCenter',
    start: () => startBitbucketDataCenter('ACME/gateway'),
    connect: (url, token, context) =>
      bitbucketDataCenter({ ...common, url, token, context, repository: 'ACME/gateway' }),
  },
  'Azure DevOps': {
    section: 'status.azure',
    start: () => startAzure('API team/gateway'),
    connect: (url, token, context) => azure({ ...common, url, token, context, repository: 'API team/gateway' }),
  },
};
