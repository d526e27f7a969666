import { z } from 'zod';
import type { ForgeClient } from './forge-client.ts';
import { once } from './once.ts';

/** The security namespace "Git Repositories", and its right GenericContribute in it (Azure DevOps, "Security namespaces"). */
const namespace = '2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87';
const contribute = 4;

const apiVersion = 'api-version=6.0';

/** People who are remembered at most. */
const mostPeople = 1000;

const repositoryIds = z.object({ id: z.string(), project: z.object({ id: z.string() }) });

const identities = z.object({
  value: z.array(
    z.object({
      descriptor: z.string(),
      isActive: z.boolean().nullish(),
      memberOf: z.array(z.string()).nullish(),
    }),
  ),
});

const accessControlLists = z.object({
  value: z.array(
    z.object({
      token: z.string(),
      inheritPermissions: z.boolean().nullish(),
      acesDictionary: z.record(z.string(), z.object({ allow: z.number().nullish(), deny: z.number().nullish() })),
    }),
  ),
});

/** Who may write to a repository of Azure DevOps. */
export interface AzurePeople {
  /** Remembers whom a name stands for, as the forge said with what they wrote. */
  met(name: string, id: string): void;
  /** Throws Failure, where the token may not ask too. */
  mayWrite(name: string, signal: AbortSignal): Promise<boolean>;
}

/**
 * Azure DevOps has no question for what another person may do. The rights are what its access control lists say
 * ("Access Control Lists", "Identities"): those of the repository before those of the project before those of all
 * repositories, and a denial before what any group of theirs is allowed on the same level.
 */
export function azurePeople(options: {
  readonly client: ForgeClient;
  readonly people: ForgeClient;
  readonly repository: string;
}): AzurePeople {
  const words = { permission: 'the scopes Identity (read) and Security (manage), which say who may write' };
  const [client, people] = [options.client.needing(words), options.people.needing(words)];
  /** Null for a name that two have had. */
  const ids = new Map<string, string | null>();
  const levels = once(async (signal) => {
    const path = `${options.repository}?${apiVersion}`;
    const { id, project } = await client.read({ method: 'GET', path }, repositoryIds, signal);
    return [`repoV2/${project.id}/${id}`, `repoV2/${project.id}`, 'repoV2'];
  });
  return {
    met: (name, id) => {
      const before = ids.get(name);
      ids.delete(name);
      ids.set(name, before === undefined || before === id ? id : null);
      const [oldest] = ids.keys();
      if (oldest !== undefined && ids.size > mostPeople) ids.delete(oldest);
    },
    mayWrite: async (name, signal) => {
      const id = ids.get(name);
      if (id === null) return false;
      const whom =
        id === undefined
          ? `searchFilter=AccountName&filterValue=${encodeURIComponent(name)}`
          : `identityIds=${encodeURIComponent(id)}`;
      const path = `/_apis/identities?${whom}&queryMembership=Expanded&${apiVersion}`;
      const { value } = await people.read({ method: 'GET', path }, identities, signal);
      const [person] = value;
      // A name that two people have is nobody's.
      if (person === undefined || value.length > 1 || person.isActive === false) return false;
      const all = [person.descriptor, ...(person.memberOf ?? [])];
      for (const token of await levels(signal)) {
        const right = await rightAt(client, token, all, signal);
        if (right !== null) return right;
      }
      return false;
    },
  };
}

/** What one level says of them; null where it says nothing and the next one counts. */
async function rightAt(
  client: ForgeClient,
  token: string,
  descriptors: readonly string[],
  signal: AbortSignal,
): Promise<boolean | null> {
  const query = `token=${encodeURIComponent(token)}&recurse=false&includeExtendedInfo=false&${apiVersion}`;
  const path = `/_apis/accesscontrollists/${namespace}?${query}`;
  const { value } = await client.read({ method: 'GET', path }, accessControlLists, signal);
  const list = value.find((one) => one.token.replace(/\/$/, '') === token);
  if (list === undefined) return null;
  const entries = descriptors.flatMap((descriptor) => list.acesDictionary[descriptor] ?? []);
  if (entries.some(({ deny }) => ((deny ?? 0) & contribute) !== 0)) return false;
  if (entries.some(({ allow }) => ((allow ?? 0) & contribute) !== 0)) return true;
  return list.inheritPermissions === false ? false : null;
}
