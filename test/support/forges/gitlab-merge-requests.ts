import type { Got } from '../http-server.ts';
import { type Answer, bodyOf, linkTo, pageOf, textOf } from './emulator.ts';
import { type PullWorld, selfName, type WorldComment, type WorldPull } from './pull-world.ts';

/** A pipeline of a merge request. */
export interface Pipeline {
  readonly id: number;
  readonly project_id: number;
  readonly sha: string;
  readonly ref: string;
}

/** What GitLab answers of users, merge requests and their notes; null for all else. `pipelines` are by `iid`. */
export function gitlabPullAnswer(
  pulls: PullWorld,
  base: string,
  pipelines: ReadonlyMap<number, Pipeline>,
  got: Got,
  url: URL,
): Answer | null {
  if (got.method === 'GET' && url.pathname === '/api/v4/user') return { status: 200, json: user(pulls, selfName) };
  if (got.method === 'GET' && url.pathname === '/api/v4/users') {
    const name = url.searchParams.get('username') ?? '';
    const known = pulls.writers.has(name) || pulls.readers.has(name);
    return { status: 200, json: known ? [user(pulls, name)] : [] };
  }
  if (!url.pathname.startsWith(`${base}/`)) return null;
  const rest = url.pathname.slice(base.length);
  const [, member] = /^\/members\/all\/(\d+)$/.exec(rest) ?? [];
  if (member !== undefined) return memberAnswer(pulls, pulls.personOf(Number(member)) ?? '');
  if (got.method === 'GET' && rest === '/merge_requests') return list(pulls, url);
  const [, iid, notes, id] = /^\/merge_requests\/(\d+)(\/notes)?(?:\/(\d+))?$/.exec(rest) ?? [];
  const one = pulls.pull(Number(iid));
  if (one === undefined) return null;
  if (notes === undefined) {
    return { status: 200, json: { ...mergeRequest(pulls, one), head_pipeline: pipelines.get(one.number) ?? null } };
  }
  return id === undefined ? notesAnswer(pulls, one, got, url) : edit(pulls, Number(id), got);
}

function list(pulls: PullWorld, url: URL): Answer {
  const open = pulls.openOn(url.searchParams.get('target_branch'));
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 20));
  const page = Number(url.searchParams.get('page') ?? 1);
  const next = page * size < open.length ? String(page + 1) : '';
  return {
    status: 200,
    json: pageOf(open, page, size).map((one) => mergeRequest(pulls, one)),
    headers: { 'x-next-page': next, 'ratelimit-remaining': '1900', ...linkTo(url, open.length, page, size) },
  };
}

function notesAnswer(pulls: PullWorld, { number }: WorldPull, got: Got, url: URL): Answer | null {
  if (got.method === 'POST') {
    const body = textOf(bodyOf(got)['body']);
    if (body.length > 1_000_000) return tooLong(pulls);
    return { status: 201, json: note(pulls, pulls.say(number, selfName, body)) };
  }
  const onlyComments = url.searchParams.get('activity_filter') === 'only_comments';
  const found = pulls.listed(number).filter((one) => !onlyComments || !one.isSystem);
  const sorted = url.searchParams.get('sort') === 'asc' ? found : [...found].reverse();
  const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 20));
  const page = Number(url.searchParams.get('page') ?? 1);
  return {
    status: 200,
    json: pageOf(sorted, page, size).map((one) => note(pulls, one)),
    headers: linkTo(url, found.length, page, size),
  };
}

function edit(pulls: PullWorld, id: number, got: Got): Answer | null {
  const body = textOf(bodyOf(got)['body']);
  if (body.length > 1_000_000) return tooLong(pulls);
  const edited = got.method === 'PUT' ? pulls.edit(id, body) : undefined;
  return edited === undefined ? null : { status: 200, json: note(pulls, edited) };
}

function memberAnswer(pulls: PullWorld, person: string): Answer {
  if (!pulls.writers.has(person)) return { status: 404, json: { message: '404 Not found' } };
  return { status: 200, json: { ...user(pulls, person), access_level: 30, state: 'active' } };
}

function tooLong(pulls: PullWorld): Answer {
  pulls.refused += 1;
  return {
    status: 400,
    json: { message: '400 Bad request - Note {:note=>["is too long (maximum is 1000000 characters)"]}' },
  };
}

function user(pulls: PullWorld, username: string) {
  return { id: pulls.idOf(username), username, name: username, state: 'active' };
}

function note(pulls: PullWorld, one: WorldComment) {
  return {
    id: one.id,
    type: one.isInFile ? 'DiffNote' : null,
    body: pulls.shown(one.body),
    author: user(pulls, one.author),
    created_at: new Date(one.at).toISOString(),
    system: one.isSystem,
    internal: false,
  };
}

function mergeRequest(pulls: PullWorld, one: WorldPull) {
  return {
    id: 9000 + one.number,
    iid: one.number,
    project_id: 17,
    state: one.isOpen ? 'opened' : 'merged',
    title: one.title,
    author: user(pulls, one.author),
    draft: one.isDraft,
    work_in_progress: one.isDraft,
    sha: one.head,
    source_branch: one.source,
    target_branch: one.base,
    source_project_id: { here: 17, fork: 18, gone: null }[one.from],
    target_project_id: 17,
    web_url: `https://gitlab.com/acme/apis/gateway/-/merge_requests/${one.number}`,
  };
}
