import { describe, entityName } from '../model/entity.ts';
import { isJsonArray } from '../model/json.ts';
import { page } from './page.ts';
import type { Rule } from './rule.ts';
import { isSecret } from './secret.ts';

/** Konnect marks what it makes for itself with such a tag, and tools leave out what carries one. */
const reserved = /^konnect-managed(?:-|$)/;

/** No entity carries a tag by which Konnect marks its own. */
export const reservedTag: Rule = {
  name: 'reserved-tag',
  severity: 'error',
  summary: 'No entity carries a tag that Konnect keeps for what it manages itself.',
  kinds: 'all',
  check: (entity) => {
    const tags = entity.fields['tags'];
    if (!isJsonArray(tags)) return [];
    return tags.flatMap((tag, index) => {
      if (typeof tag !== 'string' || !reserved.test(tag) || isSecret(entity, ['tags', index])) return [];
      return {
        message: `The ${describe(entity)} carries the tag ${JSON.stringify(tag)}, by which Konnect marks what it manages itself.`,
        hint: 'Use another tag.',
        locations: entity.source === null ? [] : [entity.source.at(['tags', index])],
        entities: [entityName(entity)],
      };
    });
  },
  documentation: page({
    title: 'reserved-tag',
    what: 'Looks for the tag `konnect-managed`, and tags that begin with `konnect-managed-`.',
    why: `Konnect puts these tags on entities that it makes and keeps itself, so they are never read as yours. An entity
of yours with such a tag would be made anew at every delivery and never be seen as in place.`,
    bad: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    tags: [konnect-managed]`,
    good: `
_format_version: "3.0"
services:
  - name: orders
    host: orders.internal
    tags: [team-orders]`,
    fix: 'Choose another tag. If the entity was exported from Konnect, leave it to Konnect and delete it here.',
  }),
};
