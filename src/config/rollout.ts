import { z } from 'zod';
import { fitsNoDay, parseCron } from './cron.ts';
import { duration, httpUrl, text, textOf, whole } from './fields.ts';
import type { Rollout } from './settings.ts';
import { isTimeZone } from './windows.ts';

const cron = z
  .string('must be a cron expression of five fields, such as "0 8 * * mon-fri"')
  .transform((written, context) => {
    const parsed = parseCron(written);
    if (parsed !== null && !fitsNoDay(parsed)) return parsed;
    const message =
      parsed === null
        ? 'must be a cron expression of five fields, such as "0 8 * * mon-fri"'
        : 'fits no day of any year, so that the window would never open; correct the day or the month';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ description: 'When the window opens: minute, hour, day of the month, month, day of the week.' });

const timeZone = z
  .string('must be the name of a time zone, such as Europe/Berlin')
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin')
  .default('UTC')
  .meta({ description: 'The time zone of the window and its changes of the clock, such as Europe/Berlin.' });

const instant = z
  .string('must be a date such as 2027-01-02, or with a time such as 2027-01-02T06:00:00+01:00')
  .transform((written, context) => {
    const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d))?$/.test(written)
      ? Date.parse(written)
      : Number.NaN;
    if (!Number.isNaN(ms)) return ms;
    const message = 'must be a date such as 2027-01-02, or with a time such as 2027-01-02T06:00:00+01:00';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  })
  .meta({ description: 'When the freeze ends: a date (its beginning in UTC), or a date with time and offset.' });

const probe = z
  .strictObject({
    url: httpUrl('What is asked for, through the proxy or of the node, such as https://shop.example.com/health.'),
    expectStatus: whole('The status that is healthy.', 100, 599).prefault(200),
    timeout: duration('The time limit of one try.', 10).prefault('5s'),
    within: duration('How long it may take to become healthy after a delivery.', 0).prefault('30s'),
  })
  .meta({ description: 'One request that tells whether what was delivered works.' });

/** When a destination gets a revision, and how it is told whether that was good. */
export const rolloutKeys = {
  after: z
    .array(textOf(/^[a-z0-9-]{1,30}$/, 'the name of a destination', 'The name of a destination.'))
    .default([])
    .meta({ description: 'Destinations that have to have confirmed a revision before this one gets it.' }),
  soak: duration('How long these have to have stayed as confirmed.', 0).prefault('0s'),
  windows: z
    .array(
      z
        .strictObject({ cron, duration: duration('How long the window stays open.', 60_000), timeZone })
        .meta({ description: 'A time in which revisions may go out.' }),
    )
    .default([])
    .meta({ description: 'Times in which revisions may go out; any time where there are none.' }),
  freeze: z
    .strictObject({ until: instant, reason: text('Why, for people.').optional() })
    .optional()
    .meta({ description: 'A time in which no revision goes out, windows or not.' }),
  probes: z
    .array(probe)
    .default([])
    .meta({ description: 'Requests that have to be answered rightly after a delivery.' }),
  updateInterval: duration(
    'How long nodes that read a database may take to follow a write (db_update_frequency of Kong).',
    0,
  ).prefault('5s'),
};

const rolloutSection = z.strictObject(rolloutKeys);

/** The roll-out of a destination that asks for nothing in particular. */
export const plainRollout: Rollout = rolloutOf(rolloutSection.parse({}));

/** The roll-out settings of a destination as it was parsed. */
export function rolloutOf(written: z.output<typeof rolloutSection>): Rollout {
  return {
    after: written.after,
    soakMs: written.soak,
    windows: written.windows.map((window) => ({
      cron: window.cron,
      durationMs: window.duration,
      timeZone: window.timeZone,
    })),
    freeze:
      written.freeze === undefined ? null : { until: written.freeze.until, reason: written.freeze.reason ?? null },
    probes: written.probes.map((one) => ({
      url: one.url,
      expectStatus: one.expectStatus,
      timeoutMs: one.timeout,
      withinMs: one.within,
    })),
    updateIntervalMs: written.updateInterval,
  };
}
