import { z } from 'zod';
import { httpUrl, text, textOf } from './fields.ts';
import { kubernetesSection } from './kubernetes.ts';
import { notifySection } from './notify.ts';
import { reviewSection } from './review.ts';
import { destinationSection, limitsSection, policySection, repositorySection } from './sections.ts';
import { statusSection } from './status.ts';

/** `rules`. */
export const rulesSection = z
  .record(
    textOf(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'the name of a rule', 'The name of a rule.'),
    z.enum(['error', 'warning', 'off']).meta({ description: 'How bad the findings of the rule are.' }),
  )
  .meta({ description: 'Rules whose severity is another than the built-in one.' });

/** The releases of Kong that offline checks know about. */
const kongVersion = /^(any|3\.([4-9]|1[0-5])(\.\d+){0,2})$/;

const notKnown = 'must be a release from 3.4 to 3.15, or `any`';

/** `kong`. */
export const kongSection = z
  .strictObject({
    version: z
      .string({
        error: ({ input }) => {
          if (typeof input !== 'number') return 'must be a text';
          return Math.floor(input) === 3 ? 'must be in quotes, since 3.10 without them is 3.1' : notKnown;
        },
      })
      .regex(kongVersion, notKnown)
      .default('3.9')
      .meta({ description: 'The release that is assumed: 3.4 to 3.15, in quotes, or any.' }),
    edition: z.enum(['oss', 'enterprise']).default('oss').meta({ description: 'The edition that is assumed.' }),
    router: z
      .enum(['traditional', 'traditional_compatible', 'expressions'])
      .default('traditional_compatible')
      .meta({ description: 'The router flavour that is assumed.' }),
    schemas: text(
      'A file of `konverge schemas pull`: its schemas, version, edition and router are assumed in the place of those above.',
    ).optional(),
  })
  .meta({ description: 'What offline checks assume of a Kong. What a destination says of itself wins.' });

/** `server`. */
export const serverSection = z
  .strictObject({
    listen: textOf(
      /^(\[[0-9A-Fa-f:.]+\]|[^:[\]\s]+):\d{1,5}$/,
      'HOST:PORT, such as 127.0.0.1:8080',
      'Host and port of the daemon’s HTTP server. Beyond loopback a token is needed.',
    ).default('127.0.0.1:8080'),
    token: text('The bearer token of the API and the status page.').optional(),
    publicUrl: httpUrl('The address under which people reach the server, for links in commit statuses.').optional(),
  })
  .meta({ description: 'The daemon’s HTTP server: health, metrics, API, status page.' });

/** `storage`. */
export const storageSection = z
  .strictObject({
    path: text('A folder, relative to the configuration file. Losing it costs a fetch, nothing else.').default(
      '.konverge',
    ),
  })
  .meta({ description: 'What is kept between runs.' });

/** The whole of `konverge.yaml`. */
export const rootSection = z
  .strictObject({
    repository: repositorySection.optional(),
    destinations: z
      .array(destinationSection)
      .default([])
      .meta({ description: 'The places that the repository feeds.' }),
    policy: policySection.optional(),
    limits: limitsSection.optional(),
    rules: rulesSection.optional(),
    status: statusSection.optional(),
    review: reviewSection.optional(),
    notify: notifySection.optional(),
    kong: kongSection.optional(),
    kubernetes: kubernetesSection.optional(),
    server: serverSection.optional(),
    storage: storageSection.optional(),
  })
  .meta({ description: 'The configuration of Konverge: one repository and the destinations it feeds.' });
