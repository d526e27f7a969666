import { expect, test } from 'vitest';
import { ConfigurationError } from '../../src/config/configuration-error.ts';
import { loadConfiguration } from '../../src/config/load.ts';
import { noOverrides } from '../../src/config/overrides.ts';

const destinations = `destinations:
  - { name: prod-eu, kong: { url: "http://a" } }
  - { name: prod-us, kong: { url: "http://b" } }
  - { name: test, kong: { url: "http://c" } }
`;

function load(text: string, secret: (value: string) => void = () => undefined) {
  return loadConfiguration(['k.yaml'], noOverrides, {
    env: () => undefined,
    readFile: () => `${destinations}${text}`,
    secret,
  });
}

function faults(text: string): readonly string[] {
  try {
    load(text).notify();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return thrown.faults.map(({ key, message }) => `${key} ${message}`);
  }
}

test('places to post to are read, and their addresses and tokens told for secrets', () => {
  const told: string[] = [];
  const text = `notify:
  - { url: "https://hooks.example.com/T/B/x", format: slack, destinations: [prod-*, test], on: [held] }
  - { url: "https://example.com/?sig=1", token: t }
`;
  expect(load(text, (value) => told.push(value)).notify()).toEqual([
    {
      url: 'https://hooks.example.com/T/B/x',
      format: 'slack',
      token: null,
      destinations: ['prod-eu', 'prod-us', 'test'],
      on: ['held'],
    },
    {
      url: 'https://example.com/?sig=1',
      format: 'json',
      token: 't',
      destinations: [],
      on: ['failure', 'held', 'recovered'],
    },
  ]);
  expect(told).toEqual(['https://hooks.example.com/T/B/x', 'https://example.com/?sig=1', 't']);
  expect(load('').notify()).toEqual([]);
});

test.each([
  ['notify: [{ url: "ftp://x" }]', 'notify[0].url must be an http or https URL'],
  ['notify: [{ url: "http://x", destinations: [prod] }]', 'notify[0].destinations[0] fits no destination'],
  ['notify: [{ url: "http://x", on: [] }]', 'notify[0].on must not be empty'],
  ['notify: [{ url: "http://x", on: [success] }]', 'notify[0].on[0]'],
])('%s is refused', (text, fault) => {
  expect(faults(text).join('\n')).toContain(fault);
});
