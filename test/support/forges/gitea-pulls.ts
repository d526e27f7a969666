import type { Got } from '../http-server.ts';
import { type Answer, bodyOf, linkTo, pageOf, textOf } from './emulator.ts';
import { type PullWorld, selfName, type WorldComment, type WorldPull } from './pull-world.ts';

/** What Gitea answers of users, pull requests and their comments; null for all else. */
export function giteaPullAnswer(pulls: PullWorld, base: string, got: Got, url: URL): Answer | null {
  if (got.method === 'GET' && url.pathname === '/api/v1/user') return { status: 200, json: user(pulls, selfName) };
  if (!url.pathname.startsWith(`${base}/`)) return null;
  const rest = url.pathname.slice(base.length);
  if (got.method === 'GET' && rest === '/pulls') return list(pulls, url);
  const asked = pulls.pull(Number(/^\/pulls\/(\d+)$/.exec(rest)?.[1]));
  if (asked !== undefined) return { status: 200, json: pull(pulls, asked) };
  const [, number] = /^\/issues\/(\d+)\/comments$/.exec(rest) ?? [];
  if (number !== undefined) return ofPull(pulls, Number(number), got, url);
  const [, id] = /^\/issues\/comments\/(\d+)$/.exec(rest) ?? [];
  if (id !== undefined && got.method === 'PATCH') {
    const edited = pulls.edit(Number(id), textOf(bodyOf(got)['body']));
    return edited === undefined ? null : { status: 200, json: comment(pulls, edited) };
  }
  const [, person] = /^\/collaborators\/([^/]+)\/permission$/.exec(rest) ?? [];
  return person === undefined ? null : permission(pulls, decodeURIComponent(person));
}

function list(pulls: PullWorld, url: URL): Answer {
  // It knows no condition for the branch; pages are shorter than what is asked for.
  const open = pulls.openOn(null);
  const size = Math.min(30, Number(url.searchParams.get('limit') ?? 30));
  const page = Number(url.searchParams.get('page') ?? 1);
  return {
    status: 200,
    json: pageOf(open, page, size).map((one) => pull(pulls, one)),
    headers: { 'x-total-count': String(open.length), ...linkTo(url, open.length, page, size) },
  };
}

function ofPull(pulls: PullWorld, number: number, got: Got, url: URL): Answer | null {
  if (pulls.pull(number) === undefined) return null;
  if (got.method === 'POST') {
    const body = textOf(bodyOf(got)['body']);
    return { status: 201, json: comment(pulls, pulls.say(number, selfName, body)) };
  }
  if (got.method !== 'GET') return null;
  // The list of one issue has no pages.
  const since = Date.parse(url.searchParams.get('since') ?? '1970-01-01T00:00:00Z');
  const found = pulls.listed(number).filter((one) => one.at >= since && !one.isInFile && !one.isSystem);
  return {
    status: 200,
    json: found.map((one) => comment(pulls, one)),
    headers: { 'x-total-count': `${found.length}` },
  };
}

function permission(pulls: PullWorld, person: string): Answer {
  if (!pulls.writers.has(person) && !pulls.readers.has(person)) {
    const errors = [`user does not exist [uid: 0, name: ${person}]`];
    return { status: 404, json: { message: 'The target couldn’t be found.', url: '', errors } };
  }
  const held = pulls.writers.has(person) ? 'write' : 'read';
  return { status: 200, json: { permission: held, role_name: held, user: user(pulls, person) } };
}

function user(pulls: PullWorld, login: string, isBot = false) {
  return { id: isBot ? -2 : pulls.idOf(login), login, username: login };
}

function comment(pulls: PullWorld, one: WorldComment) {
  const at = new Date(one.at).toISOString().replace('.000', '');
  const body = pulls.shown(one.body);
  return { id: one.id, user: user(pulls, one.author), body, created_at: at, updated_at: at };
}

function pull(pulls: PullWorld, one: WorldPull) {
  const own = { id: 1, full_name: 'acme/gateway' };
  const heads = { here: own, fork: { id: 2, full_name: `${one.author}/gateway` }, gone: null };
  const head = heads[one.from];
  return {
    number: one.number,
    state: one.isOpen ? 'open' : 'closed',
    title: one.title,
    user: user(pulls, one.author, one.isBot),
    draft: one.isDraft,
    html_url: `https://gitea.example.com/acme/gateway/pulls/${one.number}`,
    head: { label: one.source, ref: one.source, sha: one.head, repo_id: head?.id ?? 2, repo: head },
    base: { label: one.base, ref: one.base, sha: 'b'.repeat(40), repo_id: 1, repo: own },
  };
}
