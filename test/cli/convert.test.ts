import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Io } from '../../src/cli/io.ts';
import { runCommandLine } from '../../src/cli/run-command-line.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'konverge-convert-'));
  mkdirSync(join(folder, 'gateway'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function convert(...words: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    stdout: (text) => out.push(text),
    stderr: (text) => err.push(text),
    env: () => undefined,
    cwd: folder,
    colour: { stdout: false, stderr: false },
    logsToTerminal: false,
    signal: new AbortController().signal,
  };
  return { code: await runCommandLine(['convert', ...words], io), out: out.join(''), err: err.join('') };
}

function write(name: string, text: string): void {
  writeFileSync(join(folder, 'gateway', name), text);
}

function read(name: string): string {
  return readFileSync(join(folder, 'gateway', name), 'utf8');
}

const old = `_format_version: "1.1" # once
plugins:
- name: rate-limiting
  config: # limits
    minute: 5
    redis_host: r
- name: acl
  config: {whitelist: [a]}
`;
const converted = `_format_version: "3.0" # once
plugins:
- name: rate-limiting
  config: # limits
    minute: 5
    redis:
      host: r
- name: acl
  config: {allow: [a]}
`;

describe('convert', () => {
  it('rewrites files in place, tells what it did, and then has nothing to do', async () => {
    write('a.yaml', old);
    write('b.yaml', '\uFEFFroutes:\n- paths: ["/a(b)"]\n');
    write('manifest.yaml', 'apiVersion: v1\nkind: Service\n');
    const first = await convert('gateway');
    expect(first.code).toBe(0);
    expect(first.out).toContain('gateway/a.yaml:1:18: _format_version is now "3.0"\n');
    expect(first.out).toContain('gateway/a.yaml:6:5: redis_host is now redis.host\n');
    expect([read('a.yaml'), read('b.yaml')]).toEqual([converted, '\uFEFFroutes:\n- paths: ["~/a(b)"]\n']);
    expect(await convert('gateway', '--check')).toEqual({ code: 0, out: '', err: '' });
  });

  it('fails with --check where only work by hand is left', async () => {
    write('a.yaml', '_format_version: "3.0"\nplugins: [{name: cors, run_on: first}]\n');
    const { code, out } = await convert('--check', 'gateway');
    expect(out).toContain('by hand: run_on');
    expect(code).toBe(1);
  });

  it('only tells with --check', async () => {
    write('a.yaml', old);
    expect((await convert('--check', 'gateway/a.yaml')).code).toBe(1);
    expect(read('a.yaml')).toBe(old);
  });

  it('rewrites nothing where a file cannot be read', async () => {
    write('a.yaml', old);
    write('b.yaml', 'services: [');
    const { code, err } = await convert('gateway');
    expect(code).toBe(1);
    expect(err).toContain('b.yaml');
    expect(read('a.yaml')).toBe(old);
  });
});
