import type { Got } from '../http-server.ts';
import { type Answer, bodyOf, textOf } from './emulator.ts';
import { type PullWorld, selfName, type WorldComment, type WorldPull } from './pull-world.ts';

const errors = (message: string) => ({ errors: [{ context: null, message, exceptionName: null }] });

/** What a Bitbucket Data Center answers of users, pull requests and their comments; null for all else. */
export function bitbucketDataCenterPullAnswer(pulls: PullWorld, repository: string, got: Got, url: URL): Answer | null {
  const [project, name] = repository.split('/');
  if (url.pathname === '/rest/api/latest/users') return users(pulls, `${project}/${name}`, url);
  const base = `/rest/api/latest/projects/${project}/repos/${name}/pull-requests`;
  if (!url.pathname.startsWith(base)) return null;
  const rest = url.pathname.slice(base.length);
  if (got.method === 'GET' && rest === '') {
    const at = (url.searchParams.get('at') ?? '').replace('refs/heads/', '');
    return page(url, pulls.openOn(at), (one) => pull(pulls, one));
  }
  const asked = pulls.pull(Number(/^\/(\d+)$/.exec(rest)?.[1]));
  if (asked !== undefined) return { status: 200, json: pull(pulls, asked) };
  const [, number, part, id] = /^\/(\d+)\/(activities|comments)(?:\/(\d+))?$/.exec(rest) ?? [];
  const one = pulls.pull(Number(number));
  if (one === undefined) return null;
  if (part === 'activities') {
    const roots = pulls.listed(one.number).filter(({ answers }) => answers === null);
    const opened = { id: 1, action: 'OPENED', user: user(pulls, one.author) };
    return page(url, [...[...roots].reverse().map((root) => activity(pulls, root)), opened], (item) => item);
  }
  if (got.headers['x-atlassian-token'] !== 'no-check') return { status: 403, text: 'XSRF check failed' };
  const text = textOf(bodyOf(got)['text']);
  if (text.length > 32_768) {
    pulls.refused += 1;
    return { status: 400, json: errors('The comment text must be between 1 and 32768 characters long.') };
  }
  if (id === undefined) return { status: 201, json: comment(pulls, pulls.say(one.number, selfName, text)) };
  const held = pulls.comments.find((each) => each.id === Number(id));
  if (got.method !== 'PUT' || held === undefined) return null;
  if (bodyOf(got)['version'] !== held.version) {
    return { status: 409, json: errors('You are attempting to modify a comment based on out-of-date information.') };
  }
  pulls.edit(held.id, text);
  return { status: 200, json: comment(pulls, held) };
}

function page<T>(url: URL, list: readonly T[], toJson: (item: T) => unknown): Answer {
  const limit = Math.min(50, Number(url.searchParams.get('limit') ?? 25));
  const start = Number(url.searchParams.get('start') ?? 0);
  const values = list.slice(start, start + limit).map(toJson);
  const isLastPage = start + limit >= list.length;
  const nextPageStart = isLastPage ? null : start + limit;
  return { status: 200, json: { size: values.length, limit, start, isLastPage, values, nextPageStart } };
}

function users(pulls: PullWorld, repository: string, url: URL): Answer {
  const query = url.searchParams;
  const of = `${query.get('permission.1.projectKey')}/${query.get('permission.1.repositorySlug')}`;
  const asked = query.get('permission.1') === 'REPO_WRITE' && of === repository;
  const known = asked ? [...pulls.writers] : [...pulls.writers, ...pulls.readers];
  const filter = (query.get('filter') ?? '').toLowerCase();
  return page(
    url,
    known.filter((name) => name.toLowerCase().includes(filter)),
    (name) => user(pulls, name),
  );
}

function user(pulls: PullWorld, name: string, isBot = false) {
  return { id: pulls.idOf(name), name, slug: name, active: true, type: isBot ? 'SERVICE' : 'NORMAL' };
}

function comment(pulls: PullWorld, one: WorldComment): Readonly<Record<string, unknown>> {
  const answers = pulls.comments.filter((each) => each.answers === one.id);
  return {
    id: one.id,
    version: one.version,
    text: pulls.shown(one.body),
    author: user(pulls, one.author),
    createdDate: one.at,
    updatedDate: one.at,
    comments: answers.map((each) => comment(pulls, each)),
  };
}

function activity(pulls: PullWorld, one: WorldComment) {
  if (one.isSystem)
    return { id: 1000 + one.id, createdDate: one.at, user: user(pulls, one.author), action: 'RESCOPED' };
  return {
    id: 1000 + one.id,
    createdDate: one.at,
    user: user(pulls, one.author),
    action: 'COMMENTED',
    commentAction: 'ADDED',
    comment: comment(pulls, one),
    ...(one.isInFile ? { commentAnchor: { path: 'kong.yaml', line: 3 } } : {}),
  };
}

function pull(pulls: PullWorld, one: WorldPull) {
  const own = { id: 1, slug: 'gateway' };
  const sources = { here: own, fork: { id: 2, slug: 'gateway' }, gone: null };
  return {
    id: one.number,
    version: 0,
    state: one.isOpen ? 'OPEN' : 'MERGED',
    open: true,
    title: one.title,
    draft: one.isDraft,
    author: { user: user(pulls, one.author, one.isBot), role: 'AUTHOR' },
    fromRef: {
      id: `refs/heads/${one.source}`,
      displayId: one.source,
      latestCommit: one.head,
      repository: sources[one.from],
    },
    toRef: { id: `refs/heads/${one.base}`, displayId: one.base, latestCommit: 'b'.repeat(40), repository: own },
    links: {
      self: [{ href: `https://bitbucket.example.com/projects/ACME/repos/gateway/pull-requests/${one.number}` }],
    },
  };
}
