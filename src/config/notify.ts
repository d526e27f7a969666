import { z } from 'zod';
import { text, textOf, texts } from './fields.ts';

/** `notify`. */
export const notifySection = z
  .array(
    z
      .strictObject({
        url: textOf(/^https?:\/\/[^\s/]/, 'an http or https URL', 'Where it is posted to. Kept secret as a whole.'),
        format: z
          .enum(['json', 'slack'])
          .default('json')
          .meta({ description: 'Konverge’s own JSON, or what Slack, Mattermost and others like it take.' }),
        token: text('A bearer token that goes with it.').optional(),
        destinations: texts('The destinations that it is about, `*` for anything; all by default.'),
        on: z
          .array(
            z
              .enum(['failure', 'held', 'recovered', 'applied'])
              .meta({ description: 'An outcome: failure, held, recovered or applied.' }),
          )
          .min(1, 'must not be empty')
          .default(['failure', 'held', 'recovered'])
          .meta({ description: 'The outcomes that are told.' }),
      })
      .meta({ description: 'One place to post to.' }),
  )
  .default([])
  .meta({ description: 'Where outcomes are posted for people: webhooks.' });

/** One place that outcomes are posted to. */
export interface NotifySettings {
  /** Whole, as it was written: it may hold a secret in any part. */
  readonly url: string;
  readonly format: 'json' | 'slack';
  readonly token: string | null;
  /** Names; empty for all. */
  readonly destinations: readonly string[];
  readonly on: readonly ('failure' | 'held' | 'recovered' | 'applied')[];
}

/** The places of a section, in its order. */
export function notifyOf(section: z.output<typeof notifySection>): readonly NotifySettings[] {
  return section.map(({ token, ...rest }) => ({ ...rest, token: token ?? null }));
}

/** Whether a name fits a pattern, in which `*` stands for anything. */
export function isNamed(name: string, pattern: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(name);
}
