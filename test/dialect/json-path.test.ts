import { describe, expect, it } from 'vitest';
import { parseSelector, select } from '../../src/dialect/deck/patch/json-path.ts';
import { toPointer } from '../../src/model/json.ts';

const value = {
  services: [
    { name: 'a', port: 80, routes: [{ name: 'r1', paths: ['/a'] }] },
    { name: 'b', tls: { on: true }, 'odd key': 1 },
  ],
  routes: [{ name: 'r2' }],
};

function selected(text: string): readonly string[] | null {
  const selector = parseSelector(text);
  return selector === null ? null : select(value, selector).map(toPointer);
}

describe('selectors', () => {
  it.each([
    ['$', ['']],
    ['$.services', ['/services']],
    ['$.services[*].name', ['/services/0/name', '/services/1/name']],
    ['$.services.*.routes[0]', ['/services/0/routes/0']],
    ['$..routes', ['/routes', '/services/0/routes']],
    ['$..routes[*]', ['/routes/0', '/services/0/routes/0']],
    ["$.services[?(@.name == 'b')]", ['/services/1']],
    ['$.services[?(@.name=="b" || @.port == 80)]', ['/services/0', '/services/1']],
    ["$.services[?(@.name != 'b' && @.port)]", ['/services/0']],
    ['$.services[?(!@.port)]', ['/services/1']],
    ['$.services[?(@.tls.on == true)]', ['/services/1']],
    ['$.services[?@.name == "a"].routes[?(@.name)]', ['/services/0/routes/0']],
    ["$..['odd key']", ['/services/1/odd key']],
    ["$..[?(@.name == 'r1')]", ['/services/0/routes/0']],
    ['$.none[*].x', []],
  ])('%s', (text, expected) => {
    expect([...(selected(text) ?? ['not read'])].sort()).toEqual([...expected].sort());
  });

  it.each(['services', '$.', '$..', '$.a[', '$[?(@.a > 1)]', '$[?(a == 1)]', '$[?(@.a == b)]', '$.a[-1]', '$.a[0:2]'])(
    'does not read %s',
    (text) => {
      expect(parseSelector(text)).toBeNull();
    },
  );

  it('tells where items of a list at the top are counted', () => {
    expect(parseSelector('$.services[0].name')?.countsAtTop).toBe(true);
    expect(parseSelector('$.services[*].routes[0]')?.countsAtTop).toBe(false);
  });
});
