import type { Got } from '../http-server.ts';
import { type Answer, bodyOf, textOf } from './emulator.ts';
import { type PullWorld, selfName, type WorldComment, type WorldPull } from './pull-world.ts';

/** A status of a pull request. */
export interface PullStatus {
  readonly number: number;
  readonly iterationId: number;
  readonly state: string;
  readonly description: string;
  readonly targetUrl: string | null;
  readonly context: { readonly name: string; readonly genre: string | null };
}

const fault = (message: string) => ({ $id: '1', message, typeKey: 'GitException', errorCode: 0 });

/** The group that all who may write are in, and the one of all who may read. */
const groups = {
  contributors: 'Microsoft.TeamFoundation.Identity;S-1-9-7',
  readers: 'Microsoft.TeamFoundation.Identity;S-1-9-8',
};

/** What Azure DevOps answers of people, rights, pull requests and their threads; null for all else. */
export function azurePullAnswer(
  pulls: PullWorld,
  repository: string,
  statuses: PullStatus[],
  got: Got,
  url: URL,
): Answer | null {
  const version = url.searchParams.get('api-version') ?? '';
  if (version === '') return null;
  if (url.pathname === '/_apis/connectionData') {
    return { status: 200, json: { authenticatedUser: { id: pulls.uuidOf(selfName) }, instanceId: 'x' } };
  }
  if (url.pathname === '/_apis/identities') return identities(pulls, url);
  if (url.pathname === '/_apis/accesscontrollists/2e9eb7ed-3c0a-47d4-87c1-0ffdd275fd87') return accessControlLists(url);
  if (url.pathname === repository)
    return { status: 200, json: { id: 'the-repository', project: { id: 'the-project' } } };
  if (!url.pathname.startsWith(`${repository}/pullrequests`)) return null;
  const rest = url.pathname.slice(`${repository}/pullrequests`.length);
  if (got.method === 'GET' && rest === '') return list(pulls, url);
  const asked = pulls.pull(Number(/^\/(\d+)$/.exec(rest)?.[1]));
  if (asked !== undefined) return { status: 200, json: pull(pulls, asked) };
  const [, number, part, more = ''] = /^\/(\d+)\/(threads|iterations|statuses)(.*)$/.exec(rest) ?? [];
  const one = pulls.pull(Number(number));
  if (one === undefined) return null;
  if (part === 'iterations') {
    const value = one.heads.map((commitId, index) => ({ id: index + 1, sourceRefCommit: { commitId } }));
    return { status: 200, json: { count: value.length, value } };
  }
  if (part === 'statuses') {
    if (!version.includes('preview')) return { status: 400, json: fault('The resource is under preview.') };
    return postStatus(one, statuses, bodyOf(got));
  }
  if (got.method === 'GET') return threads(pulls, one.number);
  return got.method === 'POST' ? postThread(pulls, one.number, got) : edit(pulls, more, got);
}

function list(pulls: PullWorld, url: URL): Answer {
  const target = (url.searchParams.get('searchCriteria.targetRefName') ?? '').replace('refs/heads/', '');
  // Newest first.
  const open = [...pulls.openOn(target)].reverse();
  const skip = Number(url.searchParams.get('$skip') ?? 0);
  const value = open.slice(skip, skip + Number(url.searchParams.get('$top') ?? 101)).map((one) => pull(pulls, one));
  return { status: 200, json: { count: value.length, value } };
}

function postStatus(one: WorldPull, statuses: PullStatus[], body: Readonly<Record<string, unknown>>): Answer {
  const context = body['context'] as { readonly name?: string; readonly genre?: string };
  const iterationId = Number(body['iterationId'] ?? 0);
  if (iterationId > one.heads.length) return { status: 400, json: fault('There is no such iteration.') };
  const status: PullStatus = {
    number: one.number,
    iterationId,
    state: textOf(body['state']),
    description: textOf(body['description']),
    targetUrl: textOf(body['targetUrl']) || null,
    context: { name: context.name ?? '', genre: context.genre ?? null },
  };
  statuses.push(status);
  return { status: 200, json: { id: statuses.length, ...status } };
}

function threads(pulls: PullWorld, number: number): Answer {
  const listed = pulls.listed(number);
  const roots = listed.filter(({ answers }) => answers === null);
  const value = roots.map((root) => thread(pulls, [root, ...listed.filter(({ answers }) => answers === root.id)]));
  return { status: 200, json: { count: value.length, value } };
}

function postThread(pulls: PullWorld, number: number, got: Got): Answer {
  const body = bodyOf(got);
  const [first] = body['comments'] as readonly { readonly content: string; readonly commentType: number }[];
  const text = first?.content ?? '';
  if (text.length > 150_000) return tooLong(pulls);
  if (first?.commentType !== 1 || body['status'] !== 'closed')
    return { status: 400, json: fault('Would block merges') };
  return { status: 200, json: thread(pulls, [pulls.say(number, selfName, text)]) };
}

function edit(pulls: PullWorld, more: string, got: Got): Answer | null {
  const [, thread, comment] = /^\/(\d+)\/comments\/(\d+)$/.exec(more) ?? [];
  const text = textOf(bodyOf(got)['content']);
  if (text.length > 150_000) return tooLong(pulls);
  // Comments are counted from 1 in each thread; a thread has the number of its first one.
  const edited = got.method === 'PATCH' && comment === '1' ? pulls.edit(Number(thread), text) : undefined;
  return edited === undefined ? null : { status: 200, json: toComment(pulls, edited, 0) };
}

function tooLong(pulls: PullWorld): Answer {
  pulls.refused += 1;
  return { status: 400, json: fault('The comment is longer than 150000 characters.') };
}

function identities(pulls: PullWorld, url: URL): Answer {
  const id = url.searchParams.get('identityIds');
  const name = url.searchParams.get('filterValue')?.replace(/@example\.com$/, '');
  const all = [...pulls.writers, ...pulls.readers];
  const found = all.filter((one) => pulls.uuidOf(one) === id || one === name);
  const value = found.map((one) => ({
    id: pulls.uuidOf(one),
    descriptor: `Microsoft.IdentityModel.Claims.ClaimsIdentity;${one}`,
    isActive: true,
    memberOf: [groups.readers, ...(pulls.writers.has(one) ? [groups.contributors] : [])],
  }));
  return { status: 200, json: { count: value.length, value } };
}

function accessControlLists(url: URL): Answer {
  const entry = (descriptor: string, allow: number, deny = 0) => ({ [descriptor]: { descriptor, allow, deny } });
  const lists: Readonly<Record<string, unknown>> = {
    'repoV2/the-project': { ...entry(groups.contributors, 4 | 2 | 16_384), ...entry(groups.readers, 2) },
    'repoV2/the-project/the-repository': {
      ...entry('Microsoft.IdentityModel.Claims.ClaimsIdentity;barred', 0, 4),
    },
  };
  const token = url.searchParams.get('token') ?? '';
  const acesDictionary = lists[token];
  const value = acesDictionary === undefined ? [] : [{ inheritPermissions: true, token, acesDictionary }];
  return { status: 200, json: { count: value.length, value } };
}

function person(pulls: PullWorld, name: string, isBot = false) {
  const descriptor = `${isBot ? 'svc' : 'aad'}.${name}`;
  // Some have no name but the one that they chose.
  if (name.startsWith('unnamed')) return { id: pulls.uuidOf(name), displayName: 'ann@example.com', descriptor };
  return { id: pulls.uuidOf(name), displayName: name, uniqueName: `${name}@example.com`, descriptor };
}

function thread(pulls: PullWorld, comments: readonly WorldComment[]) {
  const [root] = comments;
  return {
    id: root?.id ?? 0,
    isDeleted: false,
    status: 'closed',
    threadContext: root?.isInFile === true ? { filePath: '/kong.yaml' } : null,
    comments: comments.map((one, index) => toComment(pulls, one, index)),
  };
}

function toComment(pulls: PullWorld, one: WorldComment, index: number) {
  return {
    id: index + 1,
    parentCommentId: index === 0 ? 0 : 1,
    author: person(pulls, one.author),
    content: pulls.shown(one.body),
    commentType: one.isSystem ? 'system' : 'text',
    isDeleted: false,
    publishedDate: new Date(one.at).toISOString(),
  };
}

function pull(pulls: PullWorld, one: WorldPull) {
  return {
    pullRequestId: one.number,
    status: one.isOpen ? 'active' : 'completed',
    title: one.title,
    createdBy: person(pulls, one.author, one.isBot),
    isDraft: one.isDraft,
    sourceRefName: `refs/heads/${one.source}`,
    targetRefName: `refs/heads/${one.base}`,
    lastMergeSourceCommit: { commitId: one.head },
    ...(one.from === 'here' ? {} : { forkSource: { repository: one.from === 'gone' ? null : { id: 'fork' } } }),
  };
}
