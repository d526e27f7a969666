import { build } from '../src/build/build.ts';
import type { SnapshotEntry } from '../src/model/snapshot.ts';
import { countEntities } from '../src/model/state.ts';
import { loadSchemas } from '../src/schema/bundled.ts';

/**
 * What validating costs by how much there is to validate: `node --expose-gc --import tsx bench/validate.ts [ENTITIES…]`.
 * Prints a Markdown table, and the exponent of growth between the smallest and the largest (1 is linear). Two kinds of
 * repositories: plain ones, and ones whose routes are as alike as routes get, on which a check of pairs would choke.
 */

/** Entities of one service with what belongs to it: itself, 4 routes, 3 plugins, an upstream, 2 targets, 4 consumers with 5 credentials. */
const perService = 20;

type Routes = (service: number, route: number) => string;

const plain: Routes = (service, route) =>
  `hosts: [h${service % 50}.example.com], paths: [/team${service % 100}/api${service}/v${route}], methods: [GET, POST]`;

const alike: Routes = (service, route) =>
  route === 0
    ? `hosts: ["*.example.com"], paths: ['~/api/\\d+/s${service}$'], regex_priority: ${service % 7}`
    : `hosts: [shared.example.com], paths: [/api/${'x'.repeat(route)}/s${service}], headers: {x-tenant: [t${service}]}`;

function serviceText(index: number, routes: Routes): string {
  const lines = [
    `  - name: service-${index}`,
    `    host: upstream-${index}.internal`,
    '    port: 8080',
    '    tags: [bench]',
    '    routes:',
  ];
  for (let route = 0; route < 4; route += 1) {
    lines.push(`      - {name: route-${index}-${route}, ${routes(index, route)}, strip_path: ${route % 2 === 0}}`);
  }
  lines.push(
    '    plugins:',
    '      - {name: key-auth, config: {key_names: [apikey]}}',
    `      - {name: rate-limiting, config: {minute: ${(index % 100) + 1}, policy: local}}`,
    '      - {name: cors, config: {origins: ["https://shop.example.com"], credentials: true, max_age: 3600}}',
  );
  return lines.join('\n');
}

function fileOf(from: number, to: number, routes: Routes): string {
  const indexes = Array.from({ length: to - from }, (_, offset) => from + offset);
  return [
    '_format_version: "3.0"',
    'services:',
    ...indexes.map((index) => serviceText(index, routes)),
    'upstreams:',
    ...indexes.map(
      (index) =>
        `  - {name: upstream-${index}.internal, targets: [{target: "10.0.${index % 250}.1:8080"}, {target: "10.0.${index % 250}.2:8080"}]}`,
    ),
    'consumers:',
    ...indexes.flatMap((index) => [
      `  - {username: user-${index}-a, keyauth_credentials: [{key: made-key-${index}-a}, {key: made-key-${index}-b}]}`,
      `  - {username: user-${index}-b, basicauth_credentials: [{username: basic-${index}, password: made-password-${index}}]}`,
      `  - {username: user-${index}-c, acls: [{group: group-${index % 40}}]}`,
      `  - {username: user-${index}-d, jwt_secrets: [{key: jwt-${index}, secret: made-secret-${index}}]}`,
    ]),
    '',
  ].join('\n');
}

/** A repository of about so many entities, in files of a hundred services each. */
function repository(entities: number, routes: Routes): ReadonlyMap<string, SnapshotEntry> {
  const services = Math.max(1, Math.round(entities / perService));
  const entries = new Map<string, SnapshotEntry>();
  for (let from = 0; from < services; from += 100) {
    const bytes = Buffer.from(fileOf(from, Math.min(from + 100, services), routes));
    entries.set(`teams/${from}.yaml`, { type: 'file', bytes, blob: null });
  }
  return entries;
}

interface Measured {
  readonly entities: number;
  readonly routes: number;
  readonly milliseconds: number;
  /** Of the processor, all threads together; unlike the time it does not grow with what else the machine does. */
  readonly processor: number;
  readonly megabytes: number;
  readonly findings: number;
}

const schemas = await loadSchemas({ version: '3.9', edition: 'oss', router: 'traditional_compatible' });

function measure(wanted: number, routes: Routes): Measured {
  const entries = repository(wanted, routes);
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const start = performance.now();
  const used = process.cpuUsage();
  const built = build(
    { revision: null, entries },
    { scope: null, schemas, rules: {}, environment: () => undefined, instant: Date.UTC(2026, 0, 1) },
  );
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(used);
  globalThis.gc?.();
  const counts = countEntities(built.state);
  return {
    entities: Object.values(counts).reduce((sum, count) => sum + count, 0),
    routes: counts.routes ?? 0,
    milliseconds,
    processor: (user + system) / 1000,
    megabytes: (process.memoryUsage().heapUsed - heap) / 1024 / 1024,
    findings: built.diagnostics.length,
  };
}

/** How the processor's time grows with the number of entities, as an exponent. */
function exponent(small: Measured, large: Measured): number {
  return Math.log(large.processor / small.processor) / Math.log(large.entities / small.entities);
}

const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
const wanted = sizes.length > 0 ? sizes : [1_000, 10_000, 100_000];
// What the engine compiles on the way would count against the smallest.
measure(2_000, plain);
measure(2_000, alike);

for (const [title, routes] of [
  ['Plain routes', plain],
  ['Routes that are much alike', alike],
] as const) {
  const rows = wanted.map((size) => measure(size, routes));
  const lines = rows.map(
    (row) =>
      `| ${row.entities} | ${row.routes} | ${row.milliseconds.toFixed(0)} ms | ${row.processor.toFixed(0)} ms | ${row.megabytes.toFixed(0)} MiB | ${row.findings} |`,
  );
  process.stdout.write(
    `\n${title}\n\n| entities | routes | time | processor | memory kept | findings |\n| --: | --: | --: | --: | --: | --: |\n${lines.join('\n')}\n`,
  );
  const [first, last] = [rows[0], rows.at(-1)];
  if (first !== undefined && last !== undefined && first !== last) {
    process.stdout.write(`\nGrowth exponent: ${exponent(first, last).toFixed(2)}\n`);
  }
}
