import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { httpUrl, text, textOf, whole } from './fields.ts';

const context = textOf(
  /^[\w.-]{1,60}$/,
  '1 to 60 of A-Z, a-z, 0-9, _, . and -',
  'What every status context begins with.',
).default('konverge');

const token = text('A token that may write commit statuses.');

const ownerAndName = textOf(/^[\w.-]+\/[\w.-]+$/, 'OWNER/NAME', 'The repository, as OWNER/NAME.');

/** The part that Gitea and its fork Forgejo have in common. */
function giteaKeys(product: string) {
  return z
    .strictObject({ url: httpUrl(`The address of the ${product}.`), repository: ownerAndName, token, context })
    .optional()
    .meta({ description: `Commit statuses on a ${product}.` });
}

/** A GitHub App as the configuration names it. */
const app = z
  .strictObject({
    id: z
      .union([z.string().regex(/^[\w.-]+$/), z.int().positive()], {
        error: 'must be the App’s client id or its number',
      })
      .transform(String)
      .meta({ description: 'The App’s client id, or its number.' }),
    installation: whole('The number of the installation on the repository’s owner.', 1, Number.MAX_SAFE_INTEGER),
    key: text('The App’s private key: PEM text, or the path of a PEM file.'),
  })
  .optional()
  .meta({ description: 'A GitHub App in the place of a token: check runs with findings at their lines.' });

/** `status`. */
export const statusSection = z
  .strictObject({
    github: z
      .strictObject({
        url: httpUrl('The API’s address: https://HOST/api/v3 for an Enterprise Server.').default(
          'https://api.github.com',
        ),
        repository: ownerAndName,
        token: token.optional(),
        app,
        context,
      })
      .superRefine((written, { addIssue }) => {
        if (written.token === undefined && written.app === undefined) {
          addIssue({ code: 'custom', message: 'needs `token` or `app`' });
        }
        if (written.token !== undefined && written.app !== undefined) {
          addIssue({ code: 'custom', path: ['app'], message: 'cannot stand together with `token`' });
        }
      })
      .optional()
      .meta({ description: 'Commit statuses on GitHub.' }),
    gitlab: z
      .strictObject({
        url: httpUrl('The address of the GitLab.').default('https://gitlab.com'),
        project: textOf(
          /^(\d+|[\w.-]+(\/[\w.-]+)+)$/,
          'GROUP/NAME or the project’s number',
          'The project, as GROUP/NAME with all groups, or its number.',
        ),
        token,
        context,
      })
      .optional()
      .meta({ description: 'Commit statuses on GitLab.' }),
    gitea: giteaKeys('Gitea'),
    forgejo: giteaKeys('Forgejo'),
    bitbucket: z
      .strictObject({
        url: httpUrl('The API’s address.').default('https://api.bitbucket.org'),
        repository: textOf(/^[\w.-]+\/[\w.-]+$/, 'WORKSPACE/NAME', 'The repository, as WORKSPACE/NAME.'),
        username: text('The email address that an API token belongs to; an access token has none.').optional(),
        token,
        context,
      })
      .optional()
      .meta({ description: 'Build statuses on Bitbucket Cloud.' }),
    bitbucketDataCenter: z
      .strictObject({
        url: httpUrl('The address of the Bitbucket Data Center.'),
        repository: textOf(/^~?[\w.-]+\/[\w.-]+$/, 'PROJECT/NAME', 'The repository, as PROJECT/NAME.'),
        token,
        context,
      })
      .optional()
      .meta({ description: 'Build statuses on a Bitbucket Data Center.' }),
    azure: z
      .strictObject({
        url: httpUrl('The organization: https://dev.azure.com/ORGANIZATION, or a server’s collection.'),
        repository: textOf(/^[^/]+\/[^/]+$/, 'PROJECT/NAME', 'The repository, as PROJECT/NAME.'),
        token,
        context,
      })
      .optional()
      .meta({ description: 'Commit statuses on Azure DevOps.' }),
  })
  .meta({ description: 'Where the outcome of each revision is posted: on one forge or on several.' });

/** What is needed to act as a GitHub App. */
export interface GithubApp {
  /** Its client id or its number. */
  readonly id: string;
  readonly installation: number;
  /** An RSA key; PEM text. */
  readonly key: string;
}

interface PlaceSettings {
  /** Where the forge is, as its documentation writes the address that its API starts at or below. */
  readonly url: string;
  /** As the forge names it: OWNER/NAME, GROUP/…/NAME or a number, PROJECT/NAME. */
  readonly repository: string;
  /** What every context begins with. */
  readonly context: string;
}

interface CommonSettings extends PlaceSettings {
  readonly token: string;
}

/** One forge that is told about commits; `kind` is the key of its section. */
export type ForgeSettings =
  | (CommonSettings & { readonly kind: 'github' | 'gitlab' | 'gitea' | 'forgejo' | 'bitbucketDataCenter' | 'azure' })
  | (CommonSettings & {
      readonly kind: 'bitbucket';
      /** Whose token it is; null for an access token. */
      readonly username: string | null;
    })
  | (PlaceSettings & { readonly kind: 'github'; readonly app: GithubApp });

/** Where commit statuses go. */
export interface StatusSettings {
  readonly forges: readonly ForgeSettings[];
}

/** The forges of a section, in the order of the schema. `pem` reads the App's key from where it was written. */
export function forgesOf(
  section: z.output<typeof statusSection>,
  pem: (written: string) => string,
): readonly ForgeSettings[] {
  const { github, gitlab, gitea, forgejo, bitbucket, bitbucketDataCenter, azure } = section;
  const forges: ForgeSettings[] = [];
  if (github !== undefined) forges.push(githubOf(github, pem));
  if (gitlab !== undefined) {
    const { project, ...rest } = gitlab;
    forges.push({ kind: 'gitlab', ...rest, url: withoutApi(gitlab.url), repository: project });
  }
  if (gitea !== undefined) forges.push({ kind: 'gitea', ...gitea, url: withoutApi(gitea.url) });
  if (forgejo !== undefined) forges.push({ kind: 'forgejo', ...forgejo, url: withoutApi(forgejo.url) });
  if (bitbucket !== undefined) forges.push({ kind: 'bitbucket', ...bitbucket, username: bitbucket.username ?? null });
  if (bitbucketDataCenter !== undefined) forges.push({ kind: 'bitbucketDataCenter', ...bitbucketDataCenter });
  if (azure !== undefined) forges.push({ kind: 'azure', ...azure });
  return forges;
}

function githubOf(
  { url, repository, context, token, app: written }: NonNullable<z.output<typeof statusSection>['github']>,
  pem: (written: string) => string,
): ForgeSettings {
  const place = { kind: 'github', url, repository, context } as const;
  return written === undefined
    ? { ...place, token: token ?? '' }
    : { ...place, app: { ...written, key: pem(written.key) } };
}

/** Whether a PEM text is a private key that signs as GitHub wants it. */
export function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** People who are used to GitHub's key write the API's address, which means the same. */
function withoutApi(url: string): string {
  return url.replace(/\/api\/v[14]$/, '');
}
