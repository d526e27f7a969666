import type { Got } from '../http-server.ts';
import { type Answer, bodyOf, pageOf } from './emulator.ts';
import { type PullWorld, selfName, type WorldComment, type WorldPull } from './pull-world.ts';

const error = (message: string) => ({ type: 'error', error: { message } });

/** What Bitbucket Cloud answers of users, pull requests and their comments; null for all else. */
export function bitbucketCloudPullAnswer(pulls: PullWorld, repository: string, got: Got, url: URL): Answer | null {
  if (got.method === 'GET' && url.pathname === '/2.0/user') {
    if (!pulls.hidesSelf) return { status: 200, json: user(pulls, selfName) };
    return { status: 401, json: error('Token is invalid, expired, or not supported for this endpoint.') };
  }
  const [workspace, name] = repository.split('/');
  if (url.pathname === `/2.0/workspaces/${workspace}/permissions/repositories/${name}`) return permissions(pulls, url);
  const base = `/2.0/repositories/${repository}/pullrequests`;
  if (!url.pathname.startsWith(base)) return null;
  const rest = url.pathname.slice(base.length);
  if (got.method === 'GET' && rest === '') {
    const [, branch = ''] = /^destination\.branch\.name="(.*)"$/.exec(url.searchParams.get('q') ?? '') ?? [];
    const open = pulls.openOn(branch);
    return page(url, open, 50, (one) => pull(pulls, one));
  }
  const asked = pulls.pull(Number(/^\/(\d+)$/.exec(rest)?.[1]));
  if (asked !== undefined) return { status: 200, json: pull(pulls, asked) };
  const [, number, part, id] = /^\/(\d+)\/(commits|comments)(?:\/(\d+))?$/.exec(rest) ?? [];
  const one = pulls.pull(Number(number));
  if (one === undefined) return null;
  if (part === 'commits') return page(url, [...one.heads].reverse(), 100, (hash) => ({ type: 'commit', hash }));
  if (id !== undefined) return got.method === 'PUT' ? edit(pulls, Number(id), got) : null;
  if (got.method === 'POST') {
    const body = rawOf(got);
    if (body.length > 32_768) return tooLong(pulls);
    return { status: 201, json: comment(pulls, pulls.say(one.number, selfName, body)) };
  }
  const found = pulls.listed(one.number).filter(({ isSystem }) => !isSystem);
  const sorted = url.searchParams.get('sort') === '-created_on' ? [...found].reverse() : found;
  return page(url, sorted, 100, (shown) => comment(pulls, shown));
}

function page<T>(url: URL, list: readonly T[], most: number, toJson: (item: T) => unknown): Answer {
  const size = Number(url.searchParams.get('pagelen') ?? 10);
  if (size > most) return { status: 400, json: error('Invalid pagelen') };
  const number = Number(url.searchParams.get('page') ?? 1);
  const query = new URLSearchParams(url.searchParams);
  query.set('page', String(number + 1));
  const next = { next: `https://api.bitbucket.org${url.pathname}?${query}` };
  const values = pageOf(list, number, size).map(toJson);
  const json = { page: number, pagelen: size, values, ...(number * size < list.length ? next : {}) };
  return { status: 200, json };
}

function edit(pulls: PullWorld, id: number, got: Got): Answer | null {
  const held = pulls.comments.find((one) => one.id === id);
  if (held === undefined) return null;
  if (held.author !== selfName) return { status: 403, json: error('You may edit your own comments only.') };
  const body = rawOf(got);
  if (body.length > 32_768) return tooLong(pulls);
  pulls.edit(id, body);
  return { status: 200, json: comment(pulls, held) };
}

function permissions(pulls: PullWorld, url: URL): Answer {
  const [, uuid] = /^user\.uuid="(.*)"$/.exec(url.searchParams.get('q') ?? '') ?? [];
  const all = [
    ...[...pulls.writers].map((name) => ({ permission: 'write', user: user(pulls, name) })),
    ...[...pulls.readers].map((name) => ({ permission: 'read', user: user(pulls, name) })),
  ];
  return page(
    url,
    all.filter((one) => one.user.uuid === uuid),
    100,
    (one) => one,
  );
}

function tooLong(pulls: PullWorld): Answer {
  pulls.refused += 1;
  return { status: 400, json: error('content: Too long') };
}

function rawOf(got: Got): string {
  const content = bodyOf(got)['content'] as { readonly raw?: string } | undefined;
  return content?.raw ?? '';
}

function user(pulls: PullWorld, nickname: string, isBot = false) {
  return { type: isBot ? 'app_user' : 'user', uuid: `{${pulls.uuidOf(nickname)}}`, nickname, display_name: nickname };
}

function comment(pulls: PullWorld, one: WorldComment) {
  return {
    id: one.id,
    user: user(pulls, one.author),
    content: { raw: pulls.shown(one.body), markup: 'markdown' },
    deleted: false,
    ...(one.isInFile ? { inline: { path: 'kong.yaml', to: 3 } } : {}),
    created_on: new Date(one.at).toISOString().replace('Z', '000+00:00'),
  };
}

function pull(pulls: PullWorld, one: WorldPull) {
  const own = { uuid: '{own}', full_name: 'acme/gateway' };
  const sources = { here: own, fork: { uuid: '{fork}', full_name: `${one.author}/gateway` }, gone: null };
  return {
    type: 'pullrequest',
    id: one.number,
    state: one.isOpen ? 'OPEN' : 'MERGED',
    title: one.title,
    author: user(pulls, one.author, one.isBot),
    draft: one.isDraft,
    source: { branch: { name: one.source }, commit: { hash: one.head.slice(0, 12) }, repository: sources[one.from] },
    destination: { branch: { name: one.base }, commit: { hash: 'b'.repeat(12) }, repository: own },
    links: { html: { href: `https://bitbucket.org/acme/gateway/pull-requests/${one.number}` } },
  };
}
