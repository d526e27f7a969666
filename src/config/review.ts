import { z } from 'zod';
import { duration, flag, texts } from './fields.ts';

/** `review`. */
export const reviewSection = z
  .strictObject({
    comment: flag('Whether each pull request gets one comment that is kept up to date; else only its status.').default(
      true,
    ),
    interval: duration('How often the forge is asked for open pull requests.', 5000).prefault('1m'),
    forks: z.enum(['plan', 'validate', 'ignore']).default('validate').meta({
      description:
        'What pull requests from other repositories get: plan shows what is live, validate only what is wrong with the files, ignore nothing.',
    }),
    bots: flag('Whether pull requests that no person made are reviewed.').default(true),
    drafts: flag('Whether drafts are reviewed.').default(true),
    fail: texts(
      'Notes that make `konverge/plan` fail: their codes, or danger, warning or notice for all of that severity.',
      'The code of a note, or a severity.',
    ),
    commands: flag(
      'Whether `/konverge plan` and `/konverge approve NAME` in comments are carried out, of people who may write.',
    ).default(false),
    requireReviewedPlan: flag(
      'Whether a revision goes out only as a pull request’s review planned it; else what differs is only reported.',
    ).default(false),
  })
  .meta({ description: 'The review of pull requests on the forges of `status`.' });

/** How pull requests are reviewed. */
export interface ReviewSettings {
  readonly comment: boolean;
  readonly intervalMs: number;
  readonly forks: 'plan' | 'validate' | 'ignore';
  readonly bots: boolean;
  readonly drafts: boolean;
  readonly fail: readonly string[];
  readonly commands: boolean;
  readonly requireReviewedPlan: boolean;
}

/** The settings of a section. */
export function reviewOf({ interval, ...rest }: z.output<typeof reviewSection>): ReviewSettings {
  return { ...rest, intervalMs: interval };
}
