import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** How many entities of each kind a sample has. */
export interface SampleSize {
  readonly services: number;
  readonly routes: number;
  readonly plugins: number;
  readonly consumers: number;
  readonly credentials: number;
}

/** A size of so many entities, in the proportions of a large gateway. */
export function sizeOf(entities: number): SampleSize {
  const tenth = entities / 10;
  return {
    services: 2 * tenth,
    routes: 4 * tenth,
    plugins: tenth,
    consumers: tenth,
    credentials: 2 * tenth,
  };
}

/** All entities of a size. */
export function total(size: SampleSize): number {
  return Object.values(size).reduce((sum, count) => sum + count, 0);
}

const servicesPerFile = 20;
const consumersPerFile = 50;

/** Writes decK files of a size into a folder, as teams would: a file for a few services or consumers. Gives their number. */
export async function writeSample(folder: string, size: SampleSize): Promise<number> {
  await mkdir(join(folder, 'services'), { recursive: true });
  await mkdir(join(folder, 'consumers'), { recursive: true });
  const routesEach = size.routes / size.services;
  const pluginEvery = size.services / size.plugins;
  let files = 0;
  const write = async (path: string, key: string, items: readonly string[]) => {
    files += 1;
    await writeFile(join(folder, path), `_format_version: "3.0"\n${key}:\n${items.join('')}`);
  };
  for (let first = 0; first < size.services; first += servicesPerFile) {
    const numbers = range(first, Math.min(first + servicesPerFile, size.services));
    const items = numbers.map((number) => service(number, routesEach, number % pluginEvery === 0));
    await write(`services/team-${first / servicesPerFile}.yaml`, 'services', items);
  }
  for (let first = 0; first < size.consumers; first += consumersPerFile) {
    const numbers = range(first, Math.min(first + consumersPerFile, size.consumers));
    await write(`consumers/${first / consumersPerFile}.yaml`, 'consumers', numbers.map(consumer));
  }
  return files;
}

function service(number: number, routes: number, hasPlugin: boolean): string {
  const list = range(0, routes).map(
    (route) => `      - name: route-${number}-${route}
        hosts: [api-${number}.example.com]
        paths: [/v${route}/resource-${number}]
        methods: [GET, POST]
        tags: [team-${number % 50}]
`,
  );
  const plugins = hasPlugin
    ? `    plugins:
      - name: rate-limiting
        config: { minute: ${60 + (number % 40)}, policy: local }
`
    : '';
  return `  - name: service-${number}
    url: http://service-${number}.internal.example.com:8080/api
    retries: 3
    tags: [team-${number % 50}]
    routes:
${list.join('')}${plugins}`;
}

function consumer(number: number): string {
  return `  - username: consumer-${number}
    custom_id: customer-${number}
    keyauth_credentials:
      - key: made-up-key-${number}
    basicauth_credentials:
      - username: consumer-${number}
        password: made-up-password-${number}
`;
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}
