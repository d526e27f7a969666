import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type RunningEmulator, startEmulator } from '../src/emulator/server.ts';
import { type GitServer, startGitServer } from './support/git-server.ts';
import type { ServedRepository } from './support/served-repository.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** One instruction of a Dockerfile. */
interface Instruction {
  readonly name: string;
  readonly words: string;
}

/** The stages of a Dockerfile, each from its FROM on. */
function stagesOf(text: string): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [];
  const lines = text.replaceAll(/^\s*#.*\n/gm, '').replaceAll(/\\\n\s*/g, '');
  for (const [, name = '', words = ''] of lines.matchAll(/^([A-Z]+) +(.*)$/gm)) {
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, words });
  }
  return stages;
}

const [building = [], running = []] = stagesOf(read('Dockerfile'));

function wordsOf(stage: readonly Instruction[], name: string): readonly string[] {
  return stage.filter((instruction) => instruction.name === name).map(({ words }) => words);
}

/** What COPY takes from the project, not from another stage. */
const copied = [...building, ...running]
  .filter(({ name, words }) => name === 'COPY' && !words.includes('--from='))
  .flatMap(({ words }) => words.split(' ').slice(0, -1));

const execForm = (words: string) => z.array(z.string()).parse(JSON.parse(words));
const entrypoint = wordsOf(running, 'ENTRYPOINT').flatMap(execForm);
const command = wordsOf(running, 'CMD').flatMap(execForm);
const [health = ''] = wordsOf(running, 'HEALTHCHECK');
const healthCommand = execForm(health.replace(/^.*CMD /, ''));

describe('the Dockerfile', () => {
  test('copies only what is in the repository and not ignored', () => {
    const tracked = execFileSync('git', ['ls-files', '--', ...copied], { cwd: root, encoding: 'utf8' }).split('\n');
    const ignored = read('.dockerignore').split('\n');
    for (const path of copied) {
      expect([path, tracked.some((file) => file === path || file.startsWith(`${path}/`))]).toEqual([path, true]);
      expect(ignored).toContain(`!${path}`);
    }
  });

  test('needs no shell at run time, and runs as an unprivileged user', () => {
    expect(wordsOf(running, 'RUN')).toEqual([]);
    expect(wordsOf(running, 'FROM')[0]).toMatch(/distroless/);
    expect(wordsOf(running, 'USER')).toEqual(['65532:65532']);
    expect(entrypoint[0]).toBe('/nodejs/bin/node');
    expect(healthCommand[0]).toBe('/nodejs/bin/node');
    expect(wordsOf(running, 'VOLUME')).toEqual(['/var/lib/konverge']);
    expect(command).toContain('storage.path=/var/lib/konverge');
  });

  test('uses a Node that the package supports', () => {
    const [, major = ''] = /^ARG NODE=(\d+)$/m.exec(read('Dockerfile')) ?? [];
    const { engines } = JSON.parse(read('package.json')) as { readonly engines: { readonly node: string } };
    expect(Number(major)).toBeGreaterThanOrEqual(Number(/\d+/.exec(engines.node)?.[0]));
  });
});

describe('config/compose.yaml', () => {
  const compose = z
    .object({
      services: z.record(
        z.string(),
        z.object({
          build: z.object({ context: z.string() }).optional(),
          image: z.string().optional(),
          volumes: z.array(z.string()).optional(),
          depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
          read_only: z.boolean().optional(),
        }),
      ),
      volumes: z.record(z.string(), z.null()),
    })
    .parse(load(read('config/compose.yaml')));

  test('mounts and builds what exists', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect([name, service.build ?? service.image]).not.toEqual([name, undefined]);
      if (service.build !== undefined) {
        expect(existsSync(join(root, 'config', service.build.context, 'Dockerfile'))).toBe(true);
      }
      for (const volume of service.volumes ?? []) {
        const [from = ''] = volume.split(':');
        if (from.startsWith('.')) expect([volume, existsSync(join(root, 'config', from))]).toEqual([volume, true]);
        else expect(Object.keys(compose.volumes)).toContain(from);
      }
      for (const other of Object.keys(service.depends_on ?? {})) expect(Object.keys(compose.services)).toContain(other);
    }
    expect(compose.services['konverge']?.read_only).toBe(true);
  });

  test('has Konverge follow a folder of this repository that holds files', () => {
    const { repository } = z
      .object({ repository: z.object({ url: z.string(), path: z.string() }) })
      .parse(load(read('config/compose-konverge.yaml')));
    expect(compose.services['konverge']?.volumes).toContain(`..:${repository.url}:ro`);
    expect(readdirSync(join(root, repository.path)).some((name) => name.endsWith('.yaml'))).toBe(true);
  });
});

describe('the image, put together without Docker', () => {
  const image = mkdtempSync(join(tmpdir(), 'konverge-image-'));
  const [build, app, etc, storage] = ['build', 'app', 'etc', 'storage'].map((name) => join(image, name)) as [
    string,
    string,
    string,
    string,
  ];
  let git: GitServer;
  let repository: ServedRepository;
  let kong: RunningEmulator;

  beforeAll(async () => {
    git = await startGitServer();
    repository = await git.createRepository('gateway.git');
    await repository.commit({ files: { 'echo.yaml': read('config/sample/echo.yaml') } });
    kong = await startEmulator({ flavour: 'kong', port: 0, controlPort: null });
    for (const folder of [build, app, etc, storage]) mkdirSync(folder);
    for (const path of copied) cpSync(join(root, path), join(build, path), { recursive: true });
    // In the place of `npm ci`, which would ask a registry: what it would install is here.
    symlinkSync(join(root, 'node_modules'), join(build, 'node_modules'));
    for (const line of wordsOf(building, 'RUN').filter((words) => words.startsWith('npm run '))) {
      execFileSync('npm', line.split(' ').slice(1), { cwd: build, stdio: 'pipe' });
    }
    cpSync(join(build, 'dist'), join(app, 'dist'), { recursive: true });
    cpSync(join(build, 'package.json'), join(app, 'package.json'));
    for (const path of productionPackages()) {
      cpSync(join(root, path), join(app, path), { recursive: true });
    }
  }, 120_000);

  afterAll(async () => {
    await Promise.all([git.close(), kong.close()]);
    chmodSync(etc, 0o755);
    rmSync(image, { recursive: true, force: true });
  });

  test('the copied sources and the dependencies for production suffice', () => {
    const said = spawnSync(process.execPath, [join(app, 'dist', 'main.js'), '--version'], {
      env: {},
      encoding: 'utf8',
    });
    expect([said.status, said.stderr, said.stdout.trim()]).toEqual([0, '', JSON.parse(read('package.json')).version]);
  });

  test('it runs, is found healthy, and writes to its one volume only', async () => {
    const port = await freePort();
    writeFileSync(
      join(etc, 'konverge.yaml'),
      [
        `repository: { url: "${repository.url}" }`,
        `destinations: [{ name: gateway, kong: { url: "${kong.url}" } }]`,
        `server: { listen: "127.0.0.1:${port}" }`,
      ].join('\n'),
    );
    const user = unprivileged();
    if (user !== null) chownSync(storage, user.uid, user.gid);
    chmodSync(image, 0o755);
    chmodSync(etc, 0o555);
    const before = listing();
    const options = { cwd: etc, env: { NODE_ENV: 'production' }, ...user };
    const daemon = spawn(process.execPath, inImage([...entrypoint.slice(1), ...command]), {
      ...options,
      stdio: 'pipe',
    });
    const log = linesOf(daemon);
    const ended = once(daemon, 'exit');
    try {
      await log.until('the destination was confirmed');
      const url = `http://127.0.0.1:${port}/healthz`;
      const check = spawn(process.execPath, healthCommand.slice(1), { ...options, env: { KONVERGE_HEALTH_URL: url } });
      expect(await once(check, 'exit')).toEqual([0, null]);
    } finally {
      daemon.kill('SIGTERM');
    }
    expect(await ended).toEqual([0, null]);
    expect(JSON.stringify(kong.request('GET', '/routes').body)).toContain('/echo');
    expect(listing()).toEqual(before);
    expect(readdirSync(storage).length).toBeGreaterThan(0);
    const check = spawn(process.execPath, healthCommand.slice(1), {
      ...options,
      env: { KONVERGE_HEALTH_URL: `http://127.0.0.1:${port}/healthz` },
    });
    expect(await once(check, 'exit')).toEqual([1, null]);
  });

  /** The paths of the image as they are here. */
  function inImage(words: readonly string[]): readonly string[] {
    return words.map((word) => word.replace(/^\/app\//, `${app}/`).replace('/var/lib/konverge', storage));
  }

  /** Every file of the image but those of the volume. */
  function listing(): readonly string[] {
    return [app, etc].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .sort(),
    );
  }
});

/** What `npm ci --omit=dev` installs, by the lock file. */
function productionPackages(): readonly string[] {
  const lock = z
    .object({
      packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), optional: z.boolean().optional() })),
    })
    .parse(JSON.parse(read('package-lock.json')));
  return Object.entries(lock.packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && existsSync(join(root, path)))
    .map(([path]) => path);
}

/** A user who may write nowhere, where the tests may become one; null where they run as one already. */
function unprivileged(): { readonly uid: number; readonly gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const user = { uid: 65_532, gid: 65_532 };
  return spawnSync(process.execPath, ['--version'], { ...user, cwd: '/' }).status === 0 ? user : null;
}

/** The output of a process, of which lines can be waited for. */
function linesOf(child: ChildProcess): { readonly until: (text: string) => Promise<void> } {
  let seen = '';
  let look = () => {};
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      seen += chunk.toString('utf8');
      look();
    });
  }
  return {
    until: (text) =>
      new Promise((resolve, reject) => {
        look = () => {
          if (seen.includes(text)) resolve();
        };
        child.once('exit', () => reject(new Error(`ended before it said "${text}":\n${seen}`)));
        look();
      }),
  };
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = z.object({ port: z.number() }).parse(server.address());
  server.close();
  await once(server, 'close');
  return port;
}
