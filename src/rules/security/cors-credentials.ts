import { describe } from '../../model/entity.ts';
import { isJsonArray } from '../../model/json.ts';
import { configOf, isEnabled } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';

/** Not every site may act with the cookies of a visitor. */
export const corsCredentials: Rule = {
  name: 'cors-credentials',
  severity: 'warning',
  group: 'security',
  summary: 'No cors plugin lets every site send requests with credentials.',
  kinds: ['plugins'],
  check: (entity) => {
    const { credentials, origins } = configOf(entity);
    if (entity.fields['name'] !== 'cors' || credentials !== true || !isEnabled(entity)) return [];
    // Without origins, every one is allowed.
    const open =
      !isJsonArray(origins) || origins.length === 0 || origins.some((origin) => origin === '*' || origin === '.*');
    if (!open) return [];
    return [
      findingAt(
        entity,
        ['config', 'credentials'],
        `The ${describe(entity)} lets scripts of every site send requests with the cookies of their visitor.`,
        'List the sites that need it in config.origins, or leave credentials out.',
      ),
    ];
  },
  documentation: page({
    title: 'cors-credentials',
    what: 'Looks for `cors` plugins with `credentials: true` and `*` among their `origins`, or no `origins`, which is the same.',
    why: `Browsers send cookies and authorization to your service on behalf of any page that its visitor has open, and let that
page read the answer.`,
    bad: `
_format_version: "3.0"
plugins:
  - name: cors
    config:
      origins: ["*"]
      credentials: true`,
    good: `
_format_version: "3.0"
plugins:
  - name: cors
    config:
      origins: ["https://shop.example.com"]
      credentials: true`,
    fix: 'Name the origins, by regular expression if there are many; or set `credentials: false`.',
  }),
};
