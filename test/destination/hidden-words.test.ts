import { expect, test } from 'vitest';
import { hideSecrets } from '../../src/destination/writing/hide-secrets.ts';
import { allEntities } from '../../src/model/state.ts';
import { raw, schemas, stateFrom } from '../plan/support.ts';

const password = `it's "5/6"\\n`;
const service = raw('services', { name: 's', host: 'h.test' });
const code = `local key = "code-of-plugin"\nif x then\n  return "${password}"\nend`;
const state = stateFrom([
  service,
  raw('plugins', { name: 'pre-function', config: { access: [code] } }, { to: { service } }),
  raw('plugins', { name: 'rate-limiting', config: { minute: 5, redis: { password } } }, { to: { service } }),
]);
const known = { schemas, connection: [], live: [] };
const plugin = (name: string) => allEntities(state).find(({ fields }) => fields['name'] === name) ?? null;
const shown = (words: string, name: string | null) =>
  hideSecrets(words, known, state, name === null ? null : plugin(name));

test.each(['rate-limiting', null])('a table that is printed as Lua writes it shows no secret, of %s', (name) => {
  const quoted = password.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  const words = `schema violation (config: { minute = 5, redis = { password = '${quoted}' } })`;
  expect(shown(words, name)).toBe(`schema violation (config: { minute = 5, redis = { password = '***' } })`);
});

test.each(['pre-function', null])('what Lua says of code that it cannot read shows nothing of it, of %s', (name) => {
  expect(shown(`error parsing pre-function: [string "return ((..."]:1: unexpected symbol near '<eof>'`, name)).toBe(
    `error parsing pre-function: [string "***"]:1: unexpected symbol near '<eof>'`,
  );
  expect(shown(`{\n  "[string \\"local key = \\"code-of..\\"]:2: 'then' expected near 'code-of'"\n}`, name)).toBe(
    `{\n  "[string \\"***\\"]:2: 'then' expected near '***'"\n}`,
  );
  expect(shown('cannot run: local key = "code-of-plugin" at line 1', name)).toBe('cannot run: *** at line 1');
});
