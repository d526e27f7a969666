import { beforeAll, describe, expect, it } from 'vitest';
import type { Built } from '../../src/build/built.ts';
import { quarantined } from '../../src/build/quarantine-built.ts';
import { allEntities, type State } from '../../src/model/state.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';
import type { Schemas } from '../../src/schema/schema.ts';
import { builtOf, stateOfGood } from './files.ts';

let schemas: Schemas;

beforeAll(async () => {
  schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });
});

const built = (text: string): Built => builtOf({ 'a.yaml': text }, schemas);
const good = (text: string): State => stateOfGood(built(text));

function targets({ state }: Built): readonly unknown[] {
  return (state.entities.get('targets') ?? []).map(({ fields }) => fields['target']);
}

const ingress = (name: string) => `
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: ${name} }
spec:
  ingressClassName: kong
  rules: [{ host: h, http: { paths: [{ path: /${name}, pathType: Prefix, backend: { service: { name: echo, port: { number: 80 } } } }] } }]
`;
const manifests = (name: string, port: unknown) =>
  `apiVersion: v1\nkind: Service\nmetadata: { name: ${name} }\nspec: { ports: [{ port: ${port} }] }\n${ingress('a')}${ingress('b')}`;

describe('an upstream in its last good version has its targets', () => {
  it.each([
    ['its Service has another name', manifests('ecco', 80)],
    ['its Service has another port', manifests('echo', 8080)],
    ['the port of its Service is no number', manifests('echo', 'eighty')],
  ])('where %s', (_, now) => {
    const result = quarantined(built(now), good(manifests('echo', 80)));
    expect(targets(result)).toEqual(['echo.default.svc:80']);
    expect(result.quarantine?.refused).toBe(null);
    const leftOut = result.quarantine?.leftOut ?? [];
    expect(leftOut.map(({ entity }) => entity.kind)).toContain('targets');
    for (const { why } of leftOut) expect(why).not.toBe('');
  });

  const pool = (fields: string, list: string) =>
    `_format_version: "3.0"\nupstreams:\n- { name: pool${fields}, targets: [${list}] }\nservices: [{ name: s, host: pool, routes: [{ name: r, paths: [/] }] }]\n`;

  it('and none that came with the broken one', () => {
    const result = quarantined(built(pool(', slots: 1', '{ target: "b:80" }')), good(pool('', '{ target: "a:80" }')));
    expect(targets(result)).toEqual(['a:80']);
  });

  it('also where only its targets are broken', () => {
    const last = good(pool('', '{ target: "a:80" }'));
    const result = quarantined(built(pool('', '{ target: "b:80", weight: -1 }')), last);
    expect(targets(result)).toEqual(['a:80']);
    expect(allEntities(result.state).map(({ kind }) => kind)).toContain('routes');
  });

  it('and is not served without any where it is new', () => {
    const result = quarantined(built(pool('', '{ target: "b:80", weight: -1 }')), null);
    expect(allEntities(result.state)).toEqual([]);
  });

  it('but keeps those that are sound, and has what was taken away where a last good route needs it', () => {
    const last = good(pool('', '{ target: "a:80" }, { target: "c:80" }'));
    expect(targets(quarantined(built(pool('', '{ target: "c:80" }, { target: "b:80", weight: -1 }')), last))).toEqual([
      'c:80',
    ]);
    const emptied = pool('', '').replace('name: r', 'name: r, strip_path: 7');
    expect(targets(quarantined(built(emptied), last))).toEqual(['a:80', 'c:80']);
  });
});
