import { openRepository } from '../../src/git/open-repository.ts';
import { silentLog } from '../../src/platform/log.ts';

// A process of its own for one fetch, so that it can be killed: SETTINGS STORE REVISION.
const [settings = '', storePath = '', revision = ''] = process.argv.slice(2);
const repository = await openRepository(JSON.parse(settings), storePath, { log: silentLog });
await repository.fetch(revision, new AbortController().signal);
await repository.close();
