// The counters that the next process reads after a kill, a regular stop, and a restart of the machine.
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { genesisHash } from '@portico/audit-chain';
import { afterAll, describe, expect, it } from 'vitest';
import { createTempDirectories } from '../testing/temp-directory.js';
import { openCounters } from './counters.js';

const temp = createTempDirectories();
afterAll(temp.removeAll);

const counts = { issued: 7, begun: 5, ended: 4 };
const written = {
  before: { seq: 5, hash: genesisHash, end: 1234 },
  after: { seq: 7, hash: 'ab'.repeat(32), end: 5_000_000_000_000 },
};

/** The file of a process that is killed, or stops regularly. */
async function left(boot: number, isInOrder = false): Promise<string> {
  const directory = await temp.create();
  const counters = openCounters(
    directory,
    '/log',
    () => {},
    () => boot,
  );
  counters.write(counts);
  counters.cover(written);
  if (isInOrder) counters.seal();
  counters.close();
  return directory;
}

function beforeOf(directory: string, boot: number, path = '/log') {
  const counters = openCounters(
    directory,
    path,
    () => {},
    () => boot,
  );
  counters.close();
  return counters.before;
}

describe('counters', () => {
  it('give how far the file was written after a kill', async () => {
    expect(beforeOf(await left(1), 1)).toEqual({ ...counts, written });
  });

  it('do not vouch for it after a kill where the machine was restarted or has no name for its run', async () => {
    expect(beforeOf(await left(1), 2)).toEqual({ ...counts, written: undefined });
    expect(beforeOf(await left(0), 0)).toEqual({ ...counts, written: undefined });
  });

  it('vouch for it after a stop in order, whichever run of the machine it was', async () => {
    expect(beforeOf(await left(1, true), 2)).toEqual({ ...counts, written });
    expect(beforeOf(await left(0, true), 0)).toEqual({ ...counts, written });
  });

  it('keep what was noted where a process has written nothing', async () => {
    const directory = await left(1, true);
    const next = openCounters(
      directory,
      '/log',
      () => {},
      () => 2,
    );
    next.seal();
    next.close();
    expect(beforeOf(directory, 3)).toEqual({ ...counts, written });
  });

  it('of another log, and those of an earlier version, say nothing of the file', async () => {
    const directory = await left(1, true);
    expect(beforeOf(directory, 1, '/other')).toBeUndefined();
    await truncate(join(directory, 'audit.tally'), 24);
    expect(beforeOf(directory, 1)).toEqual({ ...counts, written: undefined });
    expect(await readFile(join(directory, 'audit.tally'))).toHaveLength(24);
  });
});
