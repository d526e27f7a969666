import { build } from '../../src/build/build.ts';
import type { ReviewJob, ReviewSetup, Seen } from '../../src/daemon/reviewing/review-maker.ts';
import { defaultKubernetesSettings } from '../../src/dialect/kubernetes/settings.ts';
import type { Snapshot } from '../../src/model/snapshot.ts';
import { loadSchemas } from '../../src/schema/bundled.ts';

const kong = { version: '3.9', edition: 'oss', router: 'traditional_compatible' } as const;

/** Files of so many services with two routes each. `host` is that of the first service. */
export function manyServices(count: number, host: string): Readonly<Record<string, string>> {
  const files: Record<string, string> = {};
  for (let first = 0; first < count; first += 20) {
    const items = Array.from({ length: Math.min(20, count - first) }, (_, at) => {
      const number = first + at;
      return `  - name: service-${number}
    host: ${number === 0 ? host : `upstream-${number}.example.com`}
    routes:
      - { name: a-${number}, hosts: [api-${number}.example.com], paths: [/v1/resource-${number}] }
      - { name: b-${number}, hosts: [api-${number}.example.com], paths: [/v2/resource-${number}], methods: [GET, POST] }
`;
    });
    files[`services-${first}.yaml`] = `_format_version: "3.0"\nservices:\n${items.join('')}`;
  }
  return files;
}

/** How a local repository is reviewed for one destination. */
export function reviewSetup(path: string, storePath: string, more: Partial<ReviewSetup> = {}): ReviewSetup {
  return {
    repository: {
      url: path,
      branch: 'main',
      path: '',
      ignore: [],
      intervalMs: 10_000,
      history: 50,
      auth: { type: 'none' },
      ca: null,
      proxy: null,
      timeoutMs: 60_000,
      packLimitBytes: 1024 ** 3,
    },
    verify: null,
    storePath,
    kong,
    build: { rules: {}, ignore: [], kubernetes: defaultKubernetesSettings, configuration: [] },
    destinations: [
      {
        name: 'gateway',
        assumed: null,
        claim: null,
        scope: {
          include: [],
          excludeFiles: [],
          excludeKinds: [],
          excludeTags: [],
          tags: [],
          workspace: null,
          controlPlane: null,
        },
        plan: {
          destination: 'gateway',
          policy: {
            prune: true,
            adopt: false,
            maxDelete: { share: 0.3, atLeast: 10 },
            lastOfKind: 3,
            protect: [],
          },
          exclude: { kinds: [], tags: [], prune: false },
          knowsHistory: true,
        },
      },
    ],
    review: { forks: 'validate', fail: [] },
    ...more,
  };
}

/** What is to be reviewed, for GitHub. */
export function reviewJob(base: string, head: string, more: Partial<ReviewJob['pullRequest']> = {}): ReviewJob {
  return {
    pullRequest: { head, headRef: 'refs/pull/1/head', isFork: false, ...more },
    base,
    at: Date.UTC(2026, 5, 1),
    telling: {
      marker: '<!-- konverge:review -->',
      limit: 60_000,
      forge: { kind: 'github', url: 'https://api.github.com', repository: 'acme/gateway' },
    },
  };
}

/** A destination that has what some files say. */
export async function seenAs(files: Readonly<Record<string, string>>): Promise<Seen> {
  const schemas = await loadSchemas(kong);
  const entries = Object.entries(files).map(
    ([name, text]) => [name, { type: 'file', bytes: Buffer.from(text), blob: null }] as const,
  );
  const snapshot: Snapshot = { revision: null, entries: new Map(entries) };
  const { state } = build(snapshot, {
    scope: null,
    schemas,
    rules: {},
    environment: () => undefined,
    instant: 0,
  });
  return {
    read: {
      identified: {
        description: 'Kong 3.9 (open source), with a database',
        version: '3.9',
        edition: 'oss',
        router: 'traditional_compatible',
        mode: 'database',
      },
      live: { state, notManaged: new Map(), nodes: [], readAt: Date.UTC(2026, 5, 1) - 60_000 },
      schemas,
    },
    declared: new Set(['services/gone']),
    inForce: state,
  };
}
