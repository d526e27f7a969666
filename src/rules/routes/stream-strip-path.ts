import { describe } from '../../model/entity.ts';
import { textsOf } from '../fields.ts';
import { findingAt } from '../finding.ts';
import { page } from '../page.ts';
import type { Rule } from '../rule.ts';

const streams = ['tcp', 'tls', 'udp', 'tls_passthrough'];

/** Nothing of a path is asked to be stripped where there is none. */
export const streamStripPath: Rule = {
  name: 'stream-strip-path',
  severity: 'warning',
  summary: 'No route for connections (tcp, tls, udp) asks for a path to be stripped.',
  kinds: ['routes'],
  check: (entity) => {
    const protocols = textsOf(entity, 'protocols');
    const isStream = protocols.length > 0 && protocols.every((protocol) => streams.includes(protocol));
    if (!isStream || entity.fields['strip_path'] !== true) return [];
    const finding = findingAt(
      entity,
      ['strip_path'],
      `The ${describe(entity)} matches connections, which have no path: "strip_path" has no effect.`,
      'Leave it out, or give the route the protocols http and https if it is meant for requests.',
    );
    return [finding];
  },
  documentation: page({
    title: 'stream-strip-path',
    what: 'Looks for `strip_path: true` on routes whose protocols are all of tcp, tls, udp and tls_passthrough.',
    why: `Kong takes it and does nothing with it: a connection has no path. Where it was written on purpose, the route was most
likely meant for HTTP, and has the wrong protocols.`,
    bad: `
_format_version: "3.0"
services:
  - name: ledger
    host: ledger.internal
    port: 9000
    protocol: tcp
    routes:
      - name: ledger
        protocols: [tcp]
        destinations: [{ port: 9000 }]
        strip_path: true`,
    good: `
_format_version: "3.0"
services:
  - name: ledger
    host: ledger.internal
    port: 9000
    protocol: tcp
    routes:
      - name: ledger
        protocols: [tcp]
        destinations: [{ port: 9000 }]`,
    fix: 'Take `strip_path` out of the route, or correct its protocols.',
  }),
};
