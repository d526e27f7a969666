import { expect, test } from 'vitest';
import { konverge } from '../support/command-line.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startServer } from '../support/http-server.ts';

const newest = 'b'.repeat(40);
const older = 'a'.repeat(40);

function destination(name: string, state: string, more: object = {}): object {
  return {
    name,
    state,
    since: '2026-03-01T09:21:10.799Z',
    revisionApplied: newest,
    detail: `detail of ${name}`,
    waitingFor: null,
    concerns: null,
    unaffected: null,
    nextTryAt: null,
    lastError: null,
    plan: null,
    ...more,
  };
}

async function said(destinations: readonly object[], validation: object): Promise<{ code: number; stdout: string }> {
  const body = {
    repositories: [
      {
        url: 'https://git.example.com/acme/gateway.git',
        branch: 'main',
        revision: newest,
        failure: null,
        failingSince: null,
        validation: { revision: newest, valid: true, errors: 0, diagnostics: [], invalidFor: [], ...validation },
        destinations,
      },
    ],
  };
  const folder = await temporaryFolder({});
  const server = await startServer((_, response) => response.end(JSON.stringify(body)));
  try {
    return await konverge(['status', '--url', server.url], folder.path);
  } finally {
    await server.close();
    await folder.remove();
  }
}

test('says what can be done about a failure, and how a held plan is let through', async () => {
  const held = { code: 'mass-delete', message: 'too much', hint: 'if it is meant, approve this plan' };
  const { code, stdout } = await said(
    [
      destination('prod', 'held', {
        waitingFor: 'approval of sha256:f, or a newer revision',
        nextTryAt: '2026-03-01T09:26:10.799Z',
        plan: { fingerprint: 'sha256:f', held },
      }),
      destination('edge', 'rejected', { lastError: { hint: 'Check the token.' } }),
      destination('calm', 'applied', { plan: { fingerprint: 'sha256:g', held: null } }),
    ],
    {},
  );
  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      'https://git.example.com/acme/gateway.git main: bbbbbbbbbb, valid',
      '  prod  held  bbbbbbbbbb  detail of prod',
      '        waits for approval of sha256:f, or a newer revision; next at 2026-03-01 09:26:10Z',
      '        help: if it is meant, approve this plan',
      '        let through by: konverge approve prod sha256:f',
      '  edge  rejected  bbbbbbbbbb  detail of edge',
      '        help: Check the token.',
      '  calm  applied  bbbbbbbbbb  detail of calm',
      '',
    ].join('\n'),
  );
});

test('says of a destination that keeps an older revision why it does', async () => {
  const { code, stdout } = await said([destination('prod', 'applied', { revisionApplied: older })], {
    valid: false,
    errors: 1,
    invalidFor: ['prod'],
    diagnostics: [
      { severity: 'error', message: 'Revision bbbbbbb has no "gateway".', locations: [{ file: '.', line: 1 }] },
    ],
  });
  expect(code).toBe(1);
  expect(stdout).toContain('\n  Revision bbbbbbb has no "gateway".\n');
  expect(stdout).toContain('  prod  applied  aaaaaaaaaa  detail of prod; keeps it, for bbbbbbbbbb is invalid here\n');
});

test('says of a plan that waits that it is approved already, and by whom', async () => {
  const approval = { fingerprint: 'sha256:f', by: 'person', who: 'ann', reason: 'incident 42' };
  const plan = { fingerprint: 'sha256:f', held: { hint: 'approve it' } };
  const waitingFor = 'a window';
  const { stdout } = await said(
    [
      destination('prod', 'waiting', { waitingFor, plan, approval }),
      destination('edge', 'waiting', { waitingFor, plan, approval: { ...approval, by: 'trailer', who: null } }),
      destination('held', 'held', { plan, approval: { ...approval, fingerprint: 'sha256:other' } }),
      destination('soon', 'held', { plan, approval: { ...approval, who: null, reason: null } }),
      destination('open', 'waiting', { waitingFor, plan, approval: null }),
    ],
    {},
  );
  expect(stdout.split('\n').slice(1)).toEqual([
    '  prod  waiting  bbbbbbbbbb  detail of prod',
    '        waits for a window',
    '        approved by ann: incident 42',
    '  edge  waiting  bbbbbbbbbb  detail of edge',
    '        waits for a window',
    '        approved by the trailer Konverge-Approve of the commit',
    '  held  held  bbbbbbbbbb  detail of held',
    '        help: approve it',
    '        let through by: konverge approve held sha256:f',
    '  soon  held  bbbbbbbbbb  detail of soon',
    '        help: approve it',
    '        approved by a person',
    '  open  waiting  bbbbbbbbbb  detail of open',
    '        waits for a window',
    '',
  ]);
});
