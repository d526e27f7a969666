import { z } from 'zod';
import { duration, flag, httpUrl, share, size, text, textOf, texts, whole } from './fields.ts';
import { rolloutKeys } from './rollout.ts';
import { verifySection } from './verify.ts';

const auth = z
  .strictObject({
    token: text('An access token, sent as the password of the user `x-access-token`.').optional(),
    username: text('The user name, together with `password`.').optional(),
    password: text('The password, together with `username`.').optional(),
  })
  .meta({
    description: 'How to sign in: a token, or user name and password. Without it the remote is read anonymously.',
  });

/** `repository`. */
export const repositorySection = z
  .strictObject({
    url: text('The Git remote: https, http, or a path of this machine (relative to the configuration file).'),
    branch: text('The branch that is followed.').default('main'),
    path: z.string().default('').meta({ description: 'The folder inside the repository; all of it where left out.' }),
    ignore: texts('Globs under `path` of files that are not read.', 'A glob.'),
    interval: duration('How often the remote is asked for a new commit.', 1000).prefault('30s'),
    history: whole('How many commits back a last good revision is looked for.', 0, 100_000).prefault(500),
    auth: auth.optional(),
    verify: verifySection.optional(),
    ca: text('The certificate authority of the remote: PEM text, or the path of a PEM file.').optional(),
    proxy: httpUrl('The HTTP proxy to go through; user name and password may stand in it.').optional(),
    timeout: duration('The time limit of one fetch.', 1000).prefault('2m'),
    packLimit: size('The largest pack that is taken from the remote.').prefault('512MiB'),
  })
  .meta({ description: 'The Git repository that is followed.' });

const tls = {
  ca: text('The certificate authority of the server: PEM text, or the path of a PEM file.').optional(),
  cert: text('The client certificate for mutual TLS: PEM text, or the path of a PEM file.').optional(),
  key: text('The client certificate’s private key: PEM text, or the path of a PEM file.').optional(),
  serverName: text('The host name that the server’s certificate has, where the address has another one.').optional(),
};

const header = z
  .string()
  .regex(/^[^\r\n\0]*$/, 'must have no line breaks')
  .meta({ description: 'The value of the header.' });

const kong = z
  .strictObject({
    url: httpUrl('The address of the Admin API of a Kong with a database.').optional(),
    nodes: z
      .array(httpUrl('The address of one node’s Admin API.'))
      .min(1, 'must name one node or more')
      .optional()
      .meta({ description: 'The addresses of the Admin APIs of DB-less nodes, which all get the same configuration.' }),
    dns: textOf(
      /^(https?:\/\/)?[A-Za-z0-9_.-]+(:\d{1,5})?$/,
      'HOST:PORT, or the name of a service without a port',
      'The name under which DB-less nodes are found: HOST:PORT for its A and AAAA records, or a name without a port for SRV records; `https://` may stand before it.',
    ).optional(),
    quorum: z
      .union([z.literal('all'), whole('How many nodes.', 1, 10_000)], { error: 'must be `all` or a number of nodes' })
      .optional()
      .meta({
        description: 'How many of the DB-less nodes have to confirm: `all`, which is the default, or a number.',
      }),
    headers: z
      .record(textOf(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, 'the name of a header', 'The name of a header.'), header)
      .default({})
      .meta({ description: 'Headers of every request, such as Kong-Admin-Token.' }),
    workspace: text('The workspace (Kong Enterprise).').optional(),
    ...tls,
  })
  .meta({ description: 'A Kong Gateway: `url` for one with a database, `nodes` or `dns` for DB-less ones.' });

const konnect = z
  .strictObject({
    region: textOf(/^[a-z]{2,8}$/, 'a region such as eu, us or au', 'The region, such as eu, us or au.').optional(),
    url: httpUrl('The base URL of the API, in place of a region.').optional(),
    controlPlane: text('The control plane, by name or id.'),
    token: text('A personal or system account access token.'),
    ...tls,
  })
  .meta({ description: 'A Konnect control plane.' });

function patterns(description: string) {
  const text = textOf(
    /^[a-z_*]+\/[^/]+(\/.+)?$/,
    'KIND/NAME or KIND/NAME/FIELD/…, with * for anything, such as upstreams/*/tags',
    'KIND/NAME or KIND/NAME/FIELD/…, with * for anything.',
  );
  return z.array(text).optional().meta({ description });
}

/** `policy`, every key optional: what is left out is taken from the wider place or is the default. */
export const policySection = z
  .strictObject({
    onInvalid: z
      .enum(['reject', 'quarantine'])
      .optional()
      .meta({ description: 'What becomes of a revision with errors: `reject` keeps the last good one in force.' }),
    prune: flag('Whether live entities that the repository does not declare are deleted.').optional(),
    adopt: flag('Whether entities that no revision ever declared may be deleted too.').optional(),
    maxDelete: z
      .strictObject({
        share: share('More than this share of the live entities in scope, and …').optional(),
        atLeast: whole('… more than this many.', 0, 1_000_000).optional(),
      })
      .optional()
      .meta({ description: 'A plan that deletes more than both limits is held until a person approves it.' }),
    drift: z
      .enum(['correct', 'report', 'ignore'])
      .optional()
      .meta({ description: 'What is done about changes that were made past the repository.' }),
    driftInterval: duration('How often a destination is read to find drift.', 1000).optional(),
    driftIgnore: patterns('What others may change: fields that stay as they are live, or entities that do.'),
    driftReport: patterns('What is reported and left as it is under `drift: correct`, until the next revision.'),
    protect: z
      .array(textOf(/^[^,/]+$/, 'a tag, without comma and slash', 'A tag.'))
      .optional()
      .meta({ description: 'Tags of live entities that are never deleted; `konverge-protected` where left out.' }),
    onUnhealthy: z
      .enum(['hold', 'rollback'])
      .optional()
      .meta({ description: 'What is done when a probe fails after a delivery: wait for a person, or go back.' }),
  })
  .meta({ description: 'What may be done to destinations. May also be set on a destination, which then wins.' });

/** `limits`, every key optional. */
export const limitsSection = z
  .strictObject({
    timeout: duration('The time limit of one request.', 10).optional(),
    concurrency: whole('How many requests may be under way at once.', 1, 256).optional(),
    bodyLimit: size('The largest answer that is read.').optional(),
    configLimit: size('The largest body that a DB-less node takes (nginx_admin_client_max_body_size).').optional(),
  })
  .meta({ description: 'Bounds on the requests to destinations. May also be set on a destination, which then wins.' });

const tags = z
  .array(textOf(/^[^,/]+$/, 'a tag, without comma and slash', 'A tag.'))
  .max(5, 'must be five tags or fewer')
  .default([])
  .meta({ description: 'Tags that every entity is given and that bound what is owned. At most five.' });

/** What a destination gets of the repository. */
export const scopeKeys = {
  include: texts(
    'Globs under `repository.path` of the files that are for this destination; all where left out.',
    'A glob.',
  ),
  exclude: z
    .strictObject({
      kinds: texts(
        'Kinds of entities that are left out, such as consumers.',
        'The collection’s name in the Admin API.',
      ),
      tags: texts('Entities with any of these tags are left out.', 'A tag.'),
      files: texts('Globs of files that are left out.', 'A glob.'),
      prune: flag('Whether what is left out is deleted where it is live.').prefault(false),
    })
    .prefault({})
    .meta({ description: 'What is for others only.' }),
  tags,
};

/** One of `destinations`. */
export const destinationSection = z
  .strictObject({
    name: textOf(/^[a-z0-9-]{1,30}$/, '1 to 30 of a-z, 0-9 and -', 'The name, in commit statuses and logs.'),
    kong: kong.optional(),
    konnect: konnect.optional(),
    schemas: text(
      'A file of `konverge schemas pull`, for checks before the destination is asked; schemas/NAME.json where left out.',
    ).optional(),
    ...scopeKeys,
    ...rolloutKeys,
    policy: policySection.optional(),
    limits: limitsSection.optional(),
  })
  .meta({ description: 'One place that configuration is delivered to.' });
