import { describe, expect, test } from 'vitest';
import { brief, diagnosticsOf, written } from './support.ts';

const service = written('services', 'a.yaml:1', { name: 'orders', host: 'h.internal' });
const consumers = ['web', 'mobile', 'till'].map((username, index) =>
  written('consumers', `c.yaml:${index + 1}`, { username }),
);
const keys = ['web', 'mobile', 'till'].map((consumer, index) =>
  written('keyauth_credentials', `k.yaml:${index + 1}`, { key: 'top-hidden-1' }, { consumer: { name: consumer } }),
);

describe('runRules', () => {
  test('reports a clash once, on what was written last, with all its objects', () => {
    const found = diagnosticsOf([...consumers, ...keys]);
    expect(found.map(brief)).toEqual(['unique-credential error k.yaml:3/key k.yaml:2/key k.yaml:1/key']);
    expect(found[0]?.entities.map((entity) => entity.name.split('/')[0])).toEqual(['till', 'mobile', 'web']);
    expect(JSON.stringify(found)).not.toContain('top-hidden-1');
  });

  test('finds the same whatever the order of writing', () => {
    const raw = [
      service,
      ...consumers,
      ...keys,
      written('plugins', 'p.yaml:4', { name: 'cors' }, { service: { name: 'oders' } }),
    ];
    expect(diagnosticsOf([...raw].reverse())).toEqual(diagnosticsOf(raw));
  });

  test('suggests the name that was meant', () => {
    const plugin = written('plugins', 'p.yaml:4', { name: 'cors' }, { service: { name: 'oders' } });
    const found = diagnosticsOf([service, plugin]);
    expect(found.map(brief)).toEqual(['missing-reference error p.yaml:4/service']);
    expect(found[0]?.hint).toBe('Did you mean "orders"?');
  });

  test('takes an id that others may own for a warning where tags bound what is owned', () => {
    const id = '5b1c2d3e-4f50-4172-8394-a5b6c7d8e9f0';
    const route = written('routes', 'r.yaml:2', { name: 'r', paths: ['/r'] }, { service: { id } });
    expect(diagnosticsOf([route]).map(brief)).toEqual(['missing-reference error r.yaml:2/service']);
    expect(diagnosticsOf([route], { ownsAll: false }).map(brief)).toEqual([
      'missing-reference warning r.yaml:2/service',
    ]);
  });

  test('obeys severities from the configuration', () => {
    const raw = [...consumers, ...keys];
    expect(diagnosticsOf(raw, { overrides: { 'unique-credential': 'off' } })).toEqual([]);
    expect(diagnosticsOf(raw, { overrides: { 'unique-credential': 'warning' } }).map((one) => one.severity)).toEqual([
      'warning',
    ]);
  });
});
