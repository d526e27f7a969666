import { describe, type Entity } from '../../model/entity.ts';
import { valueAt } from '../../model/json.ts';
import { fillEntity } from '../../schema/entity.ts';
import type { Schemas } from '../../schema/schema.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';

/** What a plugin keeps in Kong's database: the setting that makes it do so, and whether Kong refuses it without one. */
interface Keeping {
  readonly path: readonly string[] | null;
  readonly value: string | null;
  readonly what: string;
  readonly refused: boolean;
}

const keeping: { readonly [plugin: string]: Keeping } = {
  oauth2: { path: null, value: null, what: 'the tokens it gives out', refused: false },
  session: { path: ['config', 'storage'], value: 'kong', what: 'its sessions', refused: false },
  'rate-limiting': { path: ['config', 'policy'], value: 'cluster', what: 'its counters', refused: true },
  'response-ratelimiting': { path: ['config', 'policy'], value: 'cluster', what: 'its counters', refused: true },
  'rate-limiting-advanced': { path: ['config', 'strategy'], value: 'cluster', what: 'its counters', refused: true },
  'graphql-rate-limiting-advanced': {
    path: ['config', 'strategy'],
    value: 'cluster',
    what: 'its counters',
    refused: true,
  },
  acme: { path: ['config', 'storage'], value: 'kong', what: 'the certificates it is given', refused: true },
};

/** No plugin needs a database that the destination does not have. */
export const needsDatabase: Rule = {
  name: 'needs-database',
  severity: 'error',
  summary: 'No plugin keeps something in a database that the destination does not have.',
  kinds: ['plugins'],
  check: (entity, { mode, schemas }) => {
    if (mode !== 'dbless' && mode !== 'konnect') return [];
    const kept = keptBy(entity, schemas);
    if (kept === null) return [];
    const where = mode === 'dbless' ? 'a Kong without a database' : "Konnect's nodes, which have no database";
    const setting = kept.path === null ? '' : `, for "${kept.path.join('.')}" is ${JSON.stringify(kept.value)}`;
    const finding = findingAt(
      entity,
      kept.path !== null && valueAt(entity.fields, kept.path) !== undefined ? kept.path : ['name'],
      `The ${describe(entity)} keeps ${kept.what} in the database${setting}; the destination is ${where}.`,
      kept.path === null ? 'Use another authentication plugin there.' : 'Choose another value, such as redis or local.',
    );
    return [kept.refused ? finding : { ...finding, severity: 'warning' as const }];
  },
  documentation: page({
    title: 'needs-database',
    what: `For a destination without a database (DB-less nodes, and the nodes of a Konnect control plane), looks for
\`rate-limiting\`, \`response-ratelimiting\` and \`rate-limiting-advanced\` that count in the cluster, \`acme\` and \`session\` with
\`storage: kong\`, and \`oauth2\`. The last two are a warning: Kong takes them, and they do not work.`,
    why: `Such a node cannot write to its configuration. It refuses everything that is sent with the plugin, or the plugin
fails at every request.`,
    destination: 'dbless',
    bad: `
_format_version: "3.0"
plugins:
  - name: rate-limiting
    config:
      minute: 100
      policy: cluster`,
    good: `
_format_version: "3.0"
plugins:
  - name: rate-limiting
    config:
      minute: 100
      policy: local`,
    fix: 'Count in Redis or on each node (`policy: local`), and keep sessions in a cookie.',
  }),
};

function keptBy(plugin: Entity, schemas: Schemas): Keeping | null {
  const name = plugin.fields['name'];
  const kept = typeof name === 'string' && Object.hasOwn(keeping, name) ? keeping[name] : undefined;
  if (kept === undefined) return null;
  if (kept.path === null) return kept;
  return valueAt(fillEntity(schemas, 'plugins', plugin.fields), kept.path) === kept.value ? kept : null;
}
