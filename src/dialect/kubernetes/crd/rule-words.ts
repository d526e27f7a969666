import type { JsonPath } from '../../../model/json.ts';

/** A rule that does not hold, for people. */
export interface RuleWords {
  readonly message: string;
  readonly hint: string;
  /** Where the reader should look, below what the rule is about. */
  readonly at: JsonPath;
}

/** What well-known rules ask for, by what they begin with, and where to look. */
const words: readonly (readonly [start: string, message: string, ...at: JsonPath])[] = [
  ['!(has(self.config) && has(self.configFrom))', '`config` and `configFrom` exclude each other', 'configFrom'],
  [
    '!(has(self.configFrom) && has(self.configPatches))',
    '`configFrom` and `configPatches` exclude each other',
    'configPatches',
  ],
  ['has(self.username) || has(self.custom_id)', 'A consumer needs `username` or `custom_id`', 'metadata', 'name'],
  ['!has(self.proxy)', '`proxy` has no effect any more: use annotations of the Service', 'proxy'],
  ['!has(self.route)', '`route` has no effect any more: use annotations of the Ingress', 'route'],
  ['!(self.type in [', '`spec.type` names a kind that has resources of its own', 'type'],
  [
    'has(self.spec.hashOn) ? [has(',
    '`spec.hashOn` takes one of input, cookie, header, uriCapture and queryArg only',
    'spec',
    'hashOn',
  ],
  [
    'has(self.spec.hashOn) && has(self.spec.hashOn.cookie) ? has(self.spec.hashOn.cookiePath)',
    '`spec.hashOn.cookie` needs `cookiePath` beside it',
    'spec',
    'hashOn',
    'cookie',
  ],
  [
    'has(self.spec.hashOn) && has(self.spec.hashOn.cookiePath)',
    '`spec.hashOn.cookiePath` needs `cookie` beside it',
    'spec',
    'hashOn',
    'cookiePath',
  ],
  [
    'has(self.spec.hashOn) ? has(self.spec.algorithm)',
    '`spec.hashOn` needs the algorithm consistent-hashing or sticky-sessions',
    'spec',
    'hashOn',
  ],
  [
    'has(self.spec.hashOnFallback) ? [has(',
    '`spec.hashOnFallback` takes one of input, header, uriCapture and queryArg only',
    'spec',
    'hashOnFallback',
  ],
  [
    'has(self.spec.hashOnFallback) ? has(self.spec.algorithm)',
    '`spec.hashOnFallback` needs the algorithm consistent-hashing',
    'spec',
    'hashOnFallback',
  ],
  [
    'has(self.spec.hashOn) && has(self.spec.hashOn.cookie) ? !has(self.spec.hashOnFallback)',
    '`spec.hashOnFallback` does not go with `spec.hashOn.cookie`',
    'spec',
    'hashOnFallback',
  ],
  [
    'has(self.spec.healthchecks) && has(self.spec.healthchecks.passive) && has(self.spec.healthchecks.passive.healthy)',
    'A passive health check has no `healthy.interval`',
    ...['spec', 'healthchecks', 'passive', 'healthy', 'interval'],
  ],
  [
    'has(self.spec.healthchecks) && has(self.spec.healthchecks.passive) && has(self.spec.healthchecks.passive.unhealthy)',
    'A passive health check has no `unhealthy.interval`',
    ...['spec', 'healthchecks', 'passive', 'unhealthy', 'interval'],
  ],
  [
    'has(self.spec.stickySessions) ? (has(self.spec.hashOn)',
    '`spec.stickySessions` needs `spec.hashOn.input` to be none, and nothing else in `spec.hashOn`',
    'spec',
    'stickySessions',
  ],
  [
    'has(self.spec.stickySessions) ? has(self.spec.stickySessions.cookie)',
    '`spec.stickySessions` needs `cookie`',
    'spec',
    'stickySessions',
  ],
  [
    'has(self.spec.stickySessions) ? (has(self.spec.algorithm)',
    '`spec.stickySessions` needs the algorithm sticky-sessions',
    'spec',
    'stickySessions',
  ],
  ["(size(self.group) == 0 && self.kind == 'Service') ? has(self.port)", 'A reference to a Service needs `port`'],
  ['self.filter(f, f.type ==', 'Each type of filter may stand here once only'],
  [
    "!(self.exists(f, f.type == 'RequestRedirect') && self.exists(f, f.type == 'URLRewrite'))",
    'RequestRedirect and URLRewrite exclude each other',
  ],
  ['(has(self.backendRefs) && size(self.backendRefs) > 0)', 'A rule that redirects has no backendRefs', 'backendRefs'],
  [
    '!(has(self.request) && has(self.backendRequest)',
    '`timeouts.backendRequest` must not be longer than `timeouts.request`',
    'backendRequest',
  ],
  ['self.all(p1, self.', 'Two references to one parent need a `sectionName` or `port` each, and another one'],
  ['self.numerator <= self.denominator', '`numerator` must not be larger than `denominator`'],
];

/** A rule that does not hold, for people. The rule itself says most where nothing else is known of it. */
export function ruleWords(rule: string, where: string): RuleWords {
  const known = words.filter(([start]) => rule.startsWith(start)).sort(([a], [b]) => b.length - a.length)[0];
  if (known === undefined) {
    return { message: `${where} breaks a rule of its kind`, hint: `The rule is: ${rule}`, at: [] };
  }
  const [, message, ...at] = known;
  return { message, hint: `An API server refuses it (the rule is: ${rule}).`, at };
}
