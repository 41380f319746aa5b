// Committed data is on disk when a sync resolves; after a failed sync nothing counts as durable.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { usableDrivers } from '../testing/sqlite-drivers.js';
import { createTempDirectories } from '../testing/temp-directory.js';
import { openWriteAheadLog, reportSlowSync } from './write-ahead-log.js';

const temp = createTempDirectories();
afterEach(() => temp.removeAll());

describe.each(await usableDrivers())('openWriteAheadLog over $name', ({ open }) => {
  it('syncs the log of a database, and leaves its locks alone when it is closed', async () => {
    const file = join(await temp.create(), 'state.db');
    const [sqlite, other] = [open(file), open(file)];
    sqlite.exec('pragma journal_mode = WAL; create table t (x); begin immediate; insert into t values (1)');
    const log = await openWriteAheadLog(file);
    await log.sync();
    await log.close();
    expect(() => other.exec('pragma busy_timeout = 0; begin immediate')).toThrow('locked');
    sqlite.exec('commit');
    for (const connection of [sqlite, other]) connection.close();
  });

  it('refuses everything after a sync that has failed', async () => {
    const file = join(await temp.create(), 'state.db');
    const sqlite = open(file);
    sqlite.exec('pragma journal_mode = WAL; create table t (x)');
    const log = await openWriteAheadLog(file);
    log.refuseIfLost();
    await log.close(); // a file that is closed cannot be synced
    const refusal = `${file} could not be written to disk`;
    await expect(log.sync()).rejects.toThrow(refusal);
    expect(() => log.refuseIfLost()).toThrow(refusal);
    await expect(log.sync()).rejects.toThrow('restart the service');
    sqlite.close();
  });
});

describe('reportSlowSync', () => {
  function slowBy(...tookMs: readonly number[]) {
    let now = 0;
    const left = [...tookMs];
    const reported: number[] = [];
    const sync = async () => {
      now += left.shift() ?? 0;
      if (left.length === 0) throw new Error('lost');
    };
    const watched = reportSlowSync(
      sync,
      (ms) => reported.push(ms),
      () => now,
    );
    return { watched, reported };
  }

  it('reports a wait of a second or more, and within a minute of that no other', async () => {
    const { watched, reported } = slowBy(999, 1000, 5000, 54_999, 1, 2000, 0);
    for (let count = 0; count < 6; count += 1) await watched();
    expect(reported).toEqual([1000, 2000]);
  });

  it('reports one that ends in a failure, and passes the failure on', async () => {
    const { watched, reported } = slowBy(3000);
    await expect(watched()).rejects.toThrow('lost');
    expect(reported).toEqual([3000]);
  });
});
