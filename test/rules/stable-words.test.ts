import { expect, test } from 'vitest';
import { buildFiles } from './building.ts';

const wordsOf = async (lists: string) => {
  const text = `_format_version: "3.0"\n${lists}`;
  const { diagnostics } = await buildFiles(new Map([['kong.yaml', Buffer.from(text)]]), { edition: 'oss' });
  return diagnostics.map(({ rule, message, entities }) => ({ rule, message, entities })).sort();
};

test('the order of what is written changes no words', async () => {
  const services = [
    '- {name: Orders, host: a.test, routes: [{name: b, paths: [/x]}]}\n',
    '- {name: orders, host: b.test, routes: [{name: a, paths: [/x]}]}\n',
  ];
  const forwards = await wordsOf(`services:\n${services.join('')}`);
  expect(forwards.map(({ rule }) => rule).sort()).toEqual(['names-alike', 'same-match']);
  const key = (one: object) => JSON.stringify(one);
  const backwards = await wordsOf(`services:\n${[...services].reverse().join('')}`);
  expect(backwards.map(key).sort()).toEqual(forwards.map(key).sort());
});

test('a group that nobody is in is told of where there are consumers and nothing else gives groups', async () => {
  const plugin = (config: string) => `plugins: [{name: acl, config: {allow: [nobody]${config}}}, {name: key-auth}`;
  const rules = async (text: string) => (await wordsOf(text)).map(({ rule }) => rule);
  expect(await rules(`consumers: [{username: a}]\n${plugin('')}]\n`)).toContain('acl-group');
  expect(await rules(`${plugin('')}]\n`)).not.toContain('acl-group');
  expect(await rules(`consumers: [{username: a}]\n${plugin(', include_consumer_groups: true')}]\n`)).not.toContain(
    'acl-group',
  );
  expect(await rules(`consumers: [{username: a}]\n${plugin('')}, {name: ldap-auth}]\n`)).not.toContain('acl-group');
});

test('the limits of a plugin are told of in one sentence', async () => {
  const words = await wordsOf('plugins: [{name: rate-limiting, config: {minute: 10, hour: 5}}]\n');
  expect(words.map(({ message }) => message)).toContain(
    '"config" of plugin "rate-limiting" must not have a lower limit per hour than per minute.',
  );
});

test('of a very long name only the beginning is shown', async () => {
  for (const name of ['n'.repeat(1_000_000), 'n '.repeat(500_000)]) {
    const words = await wordsOf(`services: [{name: ${name}, host: a.test, prt: 1}, {name: ${name}, host: b.test}]\n`);
    expect(words.length).toBeGreaterThan(0);
    for (const { message } of words) expect(message.length).toBeLessThan(1_000);
  }
});
