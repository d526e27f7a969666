import type { Got } from '../http-server.ts';
import { type Answer, bodyOf, linkTo, pageOf, textOf } from './emulator.ts';
import type { PullWorld, WorldComment, WorldPull } from './pull-world.ts';

/** What GitHub answers of users, pull requests and their comments; null for all else. */
export function githubPullAnswer(pulls: PullWorld, repository: string, got: Got, url: URL): Answer | null {
  const base = `/repos/${repository}`;
  if (got.method === 'GET' && url.pathname === '/user') return { status: 200, json: user(pulls, pulls.self) };
  if (!url.pathname.startsWith(`${base}/`)) return null;
  const rest = url.pathname.slice(base.length);
  if (got.method === 'GET' && rest === '/pulls') return list(pulls, url);
  const asked = pulls.pull(Number(/^\/pulls\/(\d+)$/.exec(rest)?.[1]));
  if (asked !== undefined) return { status: 200, json: pull(pulls, asked) };
  const [, number] = /^\/issues\/(\d+)\/comments$/.exec(rest) ?? [];
  if (number !== undefined) return ofPull(pulls, Number(number), got, url);
  const [, id] = /^\/issues\/comments\/(\d+)$/.exec(rest) ?? [];
  if (id !== undefined && got.method === 'PATCH') return edit(pulls, Number(id), got);
  const [, person] = /^\/collaborators\/([^/]+)\/permission$/.exec(rest) ?? [];
  return person === undefined ? null : permission(pulls, decodeURIComponent(person));
}

function list(pulls: PullWorld, url: URL): Answer {
  const open = pulls.openOn(url.searchParams.get('base'));
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30));
  const page = Number(url.searchParams.get('page') ?? 1);
  const sorted = url.searchParams.get('direction') === 'asc' ? open : [...open].reverse();
  return {
    status: 200,
    json: pageOf(sorted, page, size).map((one) => pull(pulls, one)),
    headers: linkTo(url, open.length, page, size),
  };
}

function ofPull(pulls: PullWorld, number: number, got: Got, url: URL): Answer | null {
  if (pulls.pull(number) === undefined) return null;
  if (got.method === 'POST') {
    const body = textOf(bodyOf(got)['body']);
    if (body === '' || body.length > 65_536) return tooLong(pulls);
    return { status: 201, json: comment(pulls, pulls.say(number, pulls.self, body)) };
  }
  if (got.method !== 'GET') return null;
  const since = Date.parse(url.searchParams.get('since') ?? '1970-01-01T00:00:00Z');
  const found = pulls.listed(number).filter((one) => one.at >= since && !one.isInFile && !one.isSystem);
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30));
  const page = Number(url.searchParams.get('page') ?? 1);
  return {
    status: 200,
    json: pageOf(found, page, size).map((one) => comment(pulls, one)),
    headers: linkTo(url, found.length, page, size),
  };
}

function edit(pulls: PullWorld, id: number, got: Got): Answer | null {
  const body = textOf(bodyOf(got)['body']);
  if (body.length > 65_536) return tooLong(pulls);
  // Who may write to the repository may edit what others wrote.
  const edited = pulls.edit(id, body);
  return edited === undefined ? null : { status: 200, json: comment(pulls, edited) };
}

function permission(pulls: PullWorld, person: string): Answer {
  const known = pulls.writers.has(person) || pulls.readers.has(person);
  if (!known) return { status: 404, json: { message: `${person} is not a user`, documentation_url: '' } };
  const json = { permission: pulls.writers.has(person) ? 'write' : 'read', user: user(pulls, person) };
  return { status: 200, json };
}

function tooLong(pulls: PullWorld): Answer {
  pulls.refused += 1;
  return {
    status: 422,
    json: { message: 'Validation Failed', errors: ['body is too long (maximum is 65536 characters)'] },
  };
}

function user(pulls: PullWorld, login: string, type = 'User') {
  return { id: pulls.idOf(login), login, type };
}

function comment(pulls: PullWorld, one: WorldComment) {
  const at = new Date(one.at).toISOString().replace('.000', '');
  const body = pulls.shown(one.body);
  return { id: one.id, user: user(pulls, one.author), body, created_at: at, updated_at: at };
}

function pull(pulls: PullWorld, one: WorldPull) {
  const own = { id: 1, full_name: 'acme/gateway' };
  const heads = { here: own, fork: { id: 2, full_name: `${one.author}/gateway` }, gone: null };
  return {
    number: one.number,
    state: one.isOpen ? 'open' : 'closed',
    title: one.title,
    body: 'What it is good for.',
    user: user(pulls, one.author, one.isBot ? 'Bot' : 'User'),
    draft: one.isDraft,
    html_url: `https://github.com/acme/gateway/pull/${one.number}`,
    head: { ref: one.source, sha: one.head, repo: heads[one.from] },
    base: { ref: one.base, sha: 'b'.repeat(40), repo: own },
  };
}
