// What is committed is on disk when a sync resolves; after one that fails nothing is taken for durable.
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { usableDrivers } from '../testing/sqlite-drivers.js';
import { createTempDirectories } from '../testing/temp-directory.js';
import { openWriteAheadLog } from './write-ahead-log.js';

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
