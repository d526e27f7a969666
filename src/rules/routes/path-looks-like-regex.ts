import { describe } from '../../model/entity.ts';
import { textsOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';
import { isSecret } from '../secret.ts';

/** What stands in regular expressions and hardly ever in paths. */
const looks = /\\[dwsbDWS./-]|\.[*+]|\([^()]*\|[^()]*\)|\[[^\]]+-[^\]]+\]|\(\?|\$$|\{\d+(?:,\d*)?\}/;

/** A path that is meant as a regular expression says so. */
export const pathLooksLikeRegex: Rule = {
  name: 'path-looks-like-regex',
  severity: 'warning',
  summary: 'A path that is a regular expression starts with ~.',
  kinds: ['routes'],
  check: (entity) =>
    textsOf(entity, 'paths').flatMap((path, index) => {
      if (path.startsWith('~') || !looks.test(path) || isSecret(entity, ['paths', index])) return [];
      return findingAt(
        entity,
        ['paths', index],
        `The path ${JSON.stringify(path)} of the ${describe(entity)} looks like a regular expression, and is a plain prefix.`,
        `Write ${JSON.stringify(`~${path}`)} if it is one: since Kong 3.0 only a path that starts with ~ is.`,
      );
    }),
  documentation: page({
    title: 'path-looks-like-regex',
    what: 'Looks for signs of a regular expression (`\\d`, `.*`, `(a|b)`, `[a-z]`, a `$` at the end) in paths without a `~`.',
    why: `Up to Kong 2.8 a path with such signs was a regular expression by itself. Since 3.0 it is a prefix that has to stand
in the request letter by letter, so that the route silently matches nothing.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: order
        paths: ['/orders/\\d+$']`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    routes:
      - name: order
        paths: ['~/orders/\\d+$']`,
    fix: 'Put a `~` before the path.',
  }),
};
