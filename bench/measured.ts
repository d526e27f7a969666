// The process that is measured: builds, checks and plans the files of a folder against a Kong, and prints what it took
// as JSON. Started by scale.ts.
import { build } from '../src/build/build.ts';
import type { BuildSettings, Built } from '../src/build/built.ts';
import { loadConfiguration } from '../src/config/load.ts';
import { openWorld } from '../src/daemon/edge.ts';
import { planOf } from '../src/daemon/plan-of.ts';
import { scopeOf } from '../src/daemon/scope.ts';
import { openDestination } from '../src/destination/open.ts';
import { folderSnapshot } from '../src/git/folder-snapshot.ts';
import { loadSchemas } from '../src/schema/bundled.ts';

const [folder = '', url = ''] = process.argv.slice(2);
const times: Record<string, number> = {};

async function timed<T>(name: string, work: () => T | Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  // Processor time rather than the clock's, so that what else runs on the machine does not count.
  times[name] = Math.round((user + system) / 1000);
  return result;
}

const sources = { env: (name: string) => process.env[name], readFile: () => '' };
const configuration = loadConfiguration([], { set: [], kong: { url, headers: [] } }, sources);
const signal = new AbortController().signal;
const assumed = await timed('schemas', () => loadSchemas(configuration.kong()));
const { snapshot } = await timed('files', () => folderSnapshot([folder]));
const settings = (schemas: BuildSettings['schemas']): BuildSettings => ({
  scope: scopeOf(configuration, 'kong'),
  schemas,
  rules: {},
  environment: sources.env,
  instant: Date.now(),
});
const built: Built = await timed('build', () => build(snapshot, settings(assumed)));
const destination = openDestination(configuration.destination('kong'), await openWorld());
const identified = await destination.identify(signal);
const live = await timed('read', () => destination.read(built.state, signal));
const schemas = await timed('asked', () => destination.schemas(built.state, signal));
const checked: Built = await timed('check', () => build(snapshot, settings(schemas)));
const make = planOf(configuration.destination('kong'), false);
const { plan } = await timed('plan', () =>
  make({ built: checked, live, schemas, identified, declaredEarlier: new Set() }),
);
await destination.close();

process.stdout.write(
  JSON.stringify({
    valid: built.valid && checked.valid,
    changes: plan.changes.length,
    unchanged: plan.summary.unchanged,
    times,
    peakMiB: Math.round(process.resourceUsage().maxRSS / 1024),
  }),
);
