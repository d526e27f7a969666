/**
 * Every code that a risk note can have, with one sentence on what it means; docs/reviews.md has them all. A code never
 * changes its meaning. `deletes-held` is found in the plan, all others in the two states.
 */
export const riskWords = {
  'route-unmatched': 'Requests that a route took are taken by none, though the route is still there.',
  'route-removed': 'A route is removed, and nothing takes its requests.',
  'route-moved': 'Requests that a route took go to another route, or to another service.',
  'route-not-tried': 'What a changed route takes could not be tried with sample requests.',
  'authentication-removed': 'Requests that had to say who they are no longer have to.',
  'authentication-optional': 'Requests without credentials now pass as an anonymous consumer that nothing stops.',
  'authentication-changed': 'Requests have to say who they are in another way than before.',
  'rate-limit-removed': 'Requests that a rate limit bounded are no longer bounded.',
  'restriction-removed': 'A plugin that kept requests out, by list or by rule, no longer stands before a route.',
  'consumer-removed': 'Consumers are removed, with their credentials.',
  'credential-removed': 'Credentials of consumers that stay are removed, or replaced by others.',
  'credential-changed': 'A credential keeps its name and gets another secret.',
  'group-lost': 'Consumers lose an ACL group or the membership of a consumer group.',
  'certificate-expiring': 'A certificate is past its end, or within 30 days of it.',
  'upstream-emptied': 'An upstream that had targets to send requests to has none any more.',
  'plugin-order-changed': 'Plugins that stay run in another order.',
  'service-destination-changed': 'Requests of a service are sent to another host, port, path or over another protocol.',
  'deletes-held': 'The plan deletes more than may go without an approval, so it will be held.',
} as const;

/** A code of a risk note. */
export type RiskCode = keyof typeof riskWords;

/** The severities that notes of a code can have, the worst first. */
export const riskSeverities: { readonly [C in RiskCode]: readonly ('danger' | 'warning' | 'notice')[] } = {
  'route-unmatched': ['danger'],
  'route-removed': ['warning'],
  'route-moved': ['warning', 'notice'],
  'route-not-tried': ['notice'],
  'authentication-removed': ['danger'],
  'authentication-optional': ['danger'],
  'authentication-changed': ['notice'],
  'rate-limit-removed': ['warning'],
  'restriction-removed': ['warning'],
  'consumer-removed': ['warning'],
  'credential-removed': ['warning'],
  'credential-changed': ['notice'],
  'group-lost': ['warning'],
  'certificate-expiring': ['danger', 'warning', 'notice'],
  'upstream-emptied': ['danger'],
  'plugin-order-changed': ['warning'],
  'service-destination-changed': ['danger', 'warning'],
  'deletes-held': ['danger'],
};
