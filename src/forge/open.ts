import type { ForgeSettings } from '../config/status.ts';
import { azure } from './azure.ts';
import { bitbucketCloud } from './bitbucket-cloud.ts';
import { bitbucketDataCenter } from './bitbucket-data-center.ts';
import type { Forge } from './forge.ts';
import type { ForgeOptions } from './forge-client.ts';
import { gitea } from './gitea.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';

/** The forge that a section of the configuration names. `branch` is the one that is followed. Sends nothing yet. */
export function openForge(
  settings: ForgeSettings,
  world: Pick<ForgeOptions, 'clock' | 'createHttpClient'> & { readonly branch: string },
): Forge {
  const { clock, createHttpClient, branch } = world;
  const { url, context, repository } = settings;
  if ('app' in settings) return github({ url, context, repository, clock, createHttpClient, app: settings.app });
  const { token } = settings;
  const options = { url, token, context, repository, branch, clock, createHttpClient };
  switch (settings.kind) {
    case 'github':
      return github(options);
    case 'gitlab':
      return gitlab({ ...options, project: repository });
    case 'gitea':
    case 'forgejo':
      return gitea({ ...options, product: settings.kind });
    case 'bitbucket':
      return bitbucketCloud({ ...options, username: settings.username });
    case 'bitbucketDataCenter':
      return bitbucketDataCenter(options);
    case 'azure':
      return azure(options);
  }
}
