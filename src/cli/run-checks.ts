import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import { claimedWords, claimHint, claimOf, clashOf } from '../config/claims.ts';
import { ConfigurationError } from '../config/configuration-error.ts';
import { reasonOf } from '../config/interpolate.ts';
import type { Configuration } from '../config/settings.ts';
import { makeFolder } from '../platform/make-folder.ts';

/** Refuses configurations that a daemon cannot run by, alone or together. Throws ConfigurationError. */
export function checkRunnable(configurations: readonly Configuration[]): void {
  for (const configuration of configurations) {
    const where = configurations.length === 1 ? '' : `: ${configuration.file ?? ''}`;
    if (configuration.repository() === null) {
      const hint = 'Say which repository to follow: repository.url and repository.branch';
      throw faulty('repository', `is missing${where}`, hint);
    }
    if (configuration.destinationNames.length === 0) {
      throw faulty('destinations', `has none${where}`, 'Say what to deliver to');
    }
  }
  for (const configuration of configurations) checkReviewed(configuration);
  checkContexts(configurations);
  checkClaims(configurations);
}

/** Reviews without a forge would never come, and nobody would be told. */
function checkReviewed(configuration: Configuration): void {
  if (configuration.review() === null || configuration.status().forges.length > 0) return;
  throw faulty(
    'review',
    'reviews nothing, since `status` names no forge',
    'Name the forge in `status`, with its token',
  );
}

/** Two configurations that deliver to one place would undo what the other delivers. */
function checkClaims(configurations: readonly Configuration[]): void {
  if (configurations.length < 2) return;
  const claims = configurations.flatMap((configuration) => {
    const { url, branch, path } = configuration.repository() ?? { url: '', branch: '', path: '' };
    const fed = JSON.stringify([url, branch, path]);
    return configuration.destinationNames.map((name) => ({
      claim: claimOf(configuration.destination(name)),
      fed,
      file: configuration.file ?? '',
    }));
  });
  for (const [index, { claim, fed, file }] of claims.entries()) {
    for (const other of claims.slice(0, index)) {
      const place = clashOf(claim, other.claim, fed === other.fed);
      if (place === null) continue;
      const message = `of ${file} ${claimedWords(place, `${other.claim.name}\` of \`${other.file}`)}`;
      throw faulty(`destinations.${claim.name}`, message, claimHint);
    }
  }
}

/** Two configurations that post under one context on one repository would undo each other's statuses. */
function checkContexts(configurations: readonly Configuration[]): void {
  const seen = new Map<string, string>();
  for (const configuration of configurations) {
    for (const { kind, url, repository, context } of configuration.status().forges) {
      // Forges tell neither contexts nor repositories apart by case.
      const key = `${url} ${repository} ${context}`.toLowerCase();
      const other = seen.get(key);
      if (other !== undefined) {
        const message = `is the same in ${other} and ${configuration.file ?? ''}, which post to one repository`;
        throw faulty(`status.${kind}.context`, message, 'Give each its own, or their statuses replace each other');
      }
      seen.set(key, configuration.file ?? '');
    }
  }
}

/**
 * Makes the folder of what is kept between runs, and has Git leave it out where it stands in a working tree. Throws
 * ConfigurationError where it cannot be made.
 */
export async function checkStorage(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (thrown) {
    const message = `is ${path}, a folder that cannot be made${reasonOf(thrown)}`;
    throw faulty('storage.path', message, 'Name a folder that this user may make and write to');
  }
  try {
    // A folder that holds something may be anybody's: a working tree, say, all of which Git would leave out then.
    if ((await readdir(path)).length > 0) return;
    await writeFile(join(path, '.gitignore'), '# What Konverge keeps between runs.\n*\n', { flag: 'wx' });
  } catch (thrown) {
    // Whoever wants to keep something here says why that cannot be. One that another process wrote does as well.
    if (reasonOf(thrown) === '') throw thrown;
  }
}

/** The folder of each configuration's Git store: its own, or one inside of it where several name the same. */
export function storesOf(configurations: readonly Configuration[]): readonly string[] {
  const paths = configurations.map((configuration) => resolve(configuration.storage().path));
  return configurations.map((configuration, index) => {
    const path = paths[index] ?? '';
    if (paths.filter((other) => other === path).length === 1) return path;
    const file = configuration.file ?? '';
    const digest = createHash('sha256').update(resolve(file), 'utf8').digest('hex');
    return join(path, `${basename(file, extname(file))}-${digest.slice(0, 8)}`);
  });
}

function faulty(key: string, message: string, hint: string): ConfigurationError {
  return new ConfigurationError([{ key, message, hint, place: null }]);
}
