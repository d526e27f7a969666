import { createVerify } from 'node:crypto';
import type { Got } from '../http-server.ts';
import { type Answer, bodyOf, newestOf, pageOf, textOf } from './emulator.ts';

/** An App that GitHub knows. */
export interface KnownApp {
  readonly id: string;
  readonly installation: number;
  /** PEM text. */
  readonly publicKey: string;
}

/** A check run as GitHub holds it. */
export interface HeldRun {
  readonly id: number;
  readonly sha: string;
  readonly name: string;
  /** The number of the App that posted it. */
  readonly app: number;
  status: string;
  conclusion: string | null;
  details_url: string | null;
  title: string;
  summary: string;
  readonly annotations: Readonly<Record<string, unknown>>[];
}

/** The number of the App, which is not its client id. */
const appNumber = 4711;

/** GitHub's check runs and what an App signs in with. */
export class GithubChecksEmulator {
  readonly app: KnownApp;
  readonly runs: HeldRun[] = [];
  /** Tokens that were issued and are good. */
  readonly tokens = new Set<string>();
  issued = 0;
  readonly #repository: string;
  readonly #unknown: ReadonlySet<string>;

  constructor(app: KnownApp, repository: string, unknown: ReadonlySet<string>) {
    this.app = app;
    this.#repository = repository;
    this.#unknown = unknown;
  }

  /** What the App itself may ask, by its own token; null for all else. */
  asApp(got: Got, url: URL): Answer | null {
    if (!url.pathname.startsWith('/app')) return null;
    if (!this.#isSigned(got.headers.authorization ?? '')) {
      return { status: 401, json: { message: 'A JSON web token could not be decoded' } };
    }
    if (url.pathname === '/app') return { status: 200, json: { id: appNumber, slug: 'konverge', name: 'Konverge' } };
    if (url.pathname !== `/app/installations/${this.app.installation}/access_tokens` || got.method !== 'POST') {
      return { status: 404, json: { message: 'Not Found' } };
    }
    const names = bodyOf(got)['repositories'];
    if (!Array.isArray(names) || names.length !== 1 || !this.#repository.endsWith(`/${names[0]}`)) {
      return { status: 422, json: { message: 'There is at least one repository that does not exist' } };
    }
    this.issued += 1;
    const token = `ghs_installation-${this.issued}`;
    this.tokens.add(token);
    return { status: 201, json: { token, expires_at: new Date(Date.now() + 3_600_000).toISOString() } };
  }

  /** Whether a request has the token of the installation. */
  isInstallation(got: Got): boolean {
    return this.tokens.has((got.headers.authorization ?? '').replace('Bearer ', ''));
  }

  /** Check runs; null for all else. */
  answer(got: Got, url: URL): Answer | null {
    const base = `/repos/${this.#repository}`;
    if (url.pathname === '/user') return { status: 403, json: { message: 'Resource not accessible by integration' } };
    const [, id] = new RegExp(`^${base}/check-runs(?:/(\\d+))?$`).exec(url.pathname) ?? [null];
    if (url.pathname === `${base}/check-runs` && got.method === 'POST') return this.#create(bodyOf(got));
    if (id !== undefined && got.method === 'PATCH') return this.#update(Number(id), bodyOf(got));
    const [, sha] = new RegExp(`^${base}/commits/([0-9a-f]{40})/check-runs$`).exec(url.pathname) ?? [];
    if (sha === undefined || got.method !== 'GET') return null;
    if (this.#unknown.has(sha)) return { status: 422, json: { message: `No commit found for SHA: ${sha}` } };
    const newest = newestOf(
      this.runs.filter((one) => one.sha === sha),
      ({ name }) => name,
    );
    const size = Math.min(100, Number(url.searchParams.get('per_page') ?? 30));
    const shown = pageOf(newest, Number(url.searchParams.get('page') ?? 1), size);
    return { status: 200, json: { total_count: newest.length, check_runs: shown.map(toJson) } };
  }

  #create(body: Readonly<Record<string, unknown>>): Answer {
    const sha = textOf(body['head_sha']);
    if (this.#unknown.has(sha)) return { status: 422, json: { message: `No commit found for SHA: ${sha}` } };
    const name = textOf(body['name']);
    if (name === '') return invalid();
    const plain = { status: 'queued', conclusion: null, details_url: null, title: '', summary: '', annotations: [] };
    const run: HeldRun = { id: this.runs.length + 1, sha, name, app: appNumber, ...plain };
    const answer = fill(run, body);
    if (answer.status !== 200) return answer;
    this.runs.push(run);
    return { ...answer, status: 201 };
  }

  #update(id: number, body: Readonly<Record<string, unknown>>): Answer {
    const run = this.runs.find((one) => one.id === id);
    if (run === undefined) return { status: 404, json: { message: 'Not Found' } };
    // One that has ended does not begin again.
    if (run.status === 'completed') return invalid();
    return fill(run, body);
  }

  #isSigned(authorization: string): boolean {
    const [head = '', claims = '', signature = ''] = authorization.replace('Bearer ', '').split('.');
    const isOurs = createVerify('RSA-SHA256')
      .update(`${head}.${claims}`)
      .verify(this.app.publicKey, Buffer.from(signature, 'base64url'));
    if (!isOurs) return false;
    const { iss, iat, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Readonly<
      Record<string, unknown>
    >;
    return iss === this.app.id && typeof iat === 'number' && typeof exp === 'number' && exp - iat <= 660;
  }
}

function fill(run: HeldRun, body: Readonly<Record<string, unknown>>): Answer {
  const output = (body['output'] ?? {}) as Readonly<Record<string, unknown>>;
  const annotations = (output['annotations'] ?? []) as readonly Readonly<Record<string, unknown>>[];
  const conclusion = textOf(body['conclusion']) || null;
  const status = textOf(body['status']);
  const isDone = status === 'completed';
  const tooLong = [...textOf(output['title'])].length > 255 || textOf(output['summary']).length > 65_535;
  if (annotations.length > 50 || tooLong || isDone !== (conclusion !== null)) return invalid();
  if (annotations.some((one) => textOf(one['path']) === '' || textOf(one['message']) === '')) return invalid();
  run.status = status;
  run.conclusion = conclusion;
  run.details_url = textOf(body['details_url']) || null;
  run.title = textOf(output['title']);
  run.summary = textOf(output['summary']);
  run.annotations.push(...annotations);
  return { status: 200, json: toJson(run) };
}

function invalid(): Answer {
  return { status: 422, json: { message: 'Invalid request.' } };
}

function toJson({ title, summary, annotations, sha, app, ...run }: HeldRun) {
  const output = { title, summary, annotations_count: annotations.length };
  return { ...run, head_sha: sha, output, app: { id: app, slug: 'an-app' } };
}
