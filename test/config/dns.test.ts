import { expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import { loadConfiguration } from '../../src/config/load.ts';

function load(kong: string, more = '') {
  const text = `destinations:\n  - name: edge\n    kong: ${kong}\n${more}`;
  const sources = { env: () => undefined, readFile: () => text, secret: () => undefined };
  return loadConfiguration(['konverge.yaml'], { set: [], kong: null }, sources);
}

function faults(kong: string, more = ''): string {
  try {
    load(kong, more).destination('edge');
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown.message;
    throw thrown;
  }
  return '';
}

test.each(['admin.edge.internal:8001', 'https://admin.edge.internal:8444', '_admin._tcp.edge.internal'])(
  'nodes may be found by the name %s',
  (dns) => {
    const configuration = load(`{ dns: "${dns}", quorum: 2 }`);
    expect(configuration.destination('edge').connection).toMatchObject({ type: 'dbless', nodes: [], dns, quorum: 2 });
    expect(configuration.scope('edge').mode).toBe('dbless');
  },
);

test('what goes with listed nodes only goes with named ones only', () => {
  expect(faults('{ dns: "a:1", nodes: ["http://a:1"] }')).toMatch(/exactly one of `url`, `nodes` and `dns`/);
  expect(faults('{ dns: "a:1", workspace: x }')).toMatch(/workspace cannot be used with `dns`/);
  expect(faults('{ dns: "a:1" }', '    tags: [x]\n')).toMatch(/tags cannot be used with `dns`/);
  expect(faults('{ dns: "a b" }')).toMatch(/HOST:PORT/);
});
