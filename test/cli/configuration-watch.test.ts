import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { watchConfigurations } from '../../src/cli/configuration-watch.ts';
import { type LogFields, silentLog } from '../../src/platform/log.ts';
import { VirtualClock } from '../../src/platform/virtual-clock.ts';
import { temporaryFolder } from '../support/folder.ts';

test('a configuration file that is changed while it runs is told of once, and is not taken up', async () => {
  const folder = await temporaryFolder({ 'konverge.yaml': 'a: 1', 'other.yaml': 'b: 1' });
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const clock = new VirtualClock(0);
  const lines: LogFields[] = [];
  const log = { ...silentLog, warn: (fields: LogFields) => void lines.push(fields) };
  const stop = new AbortController();
  const files = ['konverge.yaml', 'other.yaml'].map((name) => join(folder.path, name));
  const watching = watchConfigurations(files, { log, clock }, stop.signal);
  const look = async () => {
    await clock.advance(30_000);
    await clock.settle();
    return lines.splice(0).map((fields) => fields['configuration']);
  };
  try {
    expect(await look()).toEqual([]);
    write('konverge.yaml', 'a: 2');
    expect(await look()).toEqual([files[0]]);
    expect(await look()).toEqual([]);
    write('konverge.yaml', 'a: 3');
    expect(await look()).toEqual([files[0]]);
    // As it was: what runs is what is written.
    write('konverge.yaml', 'a: 1');
    expect(await look()).toEqual([]);
    // What cannot be read just now may be on its way.
    rmSync(files[1] ?? '');
    expect(await look()).toEqual([]);
    write('other.yaml', 'b: 2');
    expect(await look()).toEqual([files[1]]);
  } finally {
    stop.abort();
    await watching;
    await folder.remove();
  }
});
