import { describe, type Entity } from '../../model/entity.ts';
import type { JsonObject } from '../../model/json.ts';
import { fillEntity } from '../../schema/entity.ts';
import { idOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { authenticationOf, isAuthenticated } from './authentication.ts';

/** The ports of Kong's Admin API, without TLS and with it. */
const adminPorts = [8001, 8444];
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[?::1\]?)$/;

/** Kong's own Admin API is not reached through Kong by everybody. */
export const adminExposed: Rule = {
  name: 'admin-exposed',
  severity: 'warning',
  group: 'security',
  summary: "No route leads to Kong's Admin API without asking who is there.",
  kinds: ['routes'],
  check: (entity, context) => {
    const service = context.state.byId('services', idOf(entity, 'service') ?? '');
    if (service === undefined || !leadsToAdmin(service, context)) return [];
    if (
      isAuthenticated(
        entity,
        context.memo('authentication', () => authenticationOf(context.state)),
      )
    )
      return [];
    return [
      findingAt(
        entity,
        ['name'],
        `The ${describe(entity)} leads to what looks like Kong's Admin API, and asks nobody who they are.`,
        'Delete it, or put an authentication plugin on it: whoever reaches the Admin API can change everything and read every secret.',
        [{ entity: service, path: ['host'] }],
      ),
    ];
  },
  documentation: page({
    title: 'admin-exposed',
    what: `Looks for routes without authentication to a service at port 8001 or 8444 of the machine itself, or of a host whose
name speaks of Kong or of administration.`,
    why: `The Admin API of an open-source Kong has no lock of its own. Through such a route anybody can read credentials and
keys and change where requests go.`,
    bad: `
_format_version: "3.0"
services:
  - name: admin
    host: localhost
    port: 8001
    routes:
      - name: admin
        paths: [/admin-api]`,
    good: `
_format_version: "3.0"
services:
  - name: admin
    host: localhost
    port: 8001
    routes:
      - name: admin
        paths: [/admin-api]
        plugins:
          - name: key-auth
          - name: ip-restriction
            config:
              allow: [10.0.0.0/8]`,
    fix: 'Put `key-auth` (or stronger) and `ip-restriction` on the route, or reach the Admin API in another way.',
  }),
};

function leadsToAdmin(service: Entity, { schemas }: RuleContext): boolean {
  const { host, port }: JsonObject = fillEntity(schemas, 'services', service.fields);
  if (typeof host !== 'string' || typeof port !== 'number' || !adminPorts.includes(port)) return false;
  return loopback.test(host) || /(?:^|[.-])(?:kong|admin)/i.test(host);
}
