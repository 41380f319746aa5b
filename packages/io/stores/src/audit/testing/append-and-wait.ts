// A process that appends to an audit log as fast as it can, writes down how many actions have ended, and is killed.
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openStateDatabase } from '../../database.js';
import { openAuditFile } from '../audit-file.js';
import { draftOf, realClock } from './audit-files.js';

const directory = process.argv[2] ?? '';
const log = await openAuditFile({
  file: join(directory, 'audit.jsonl'),
  stateDirectory: directory,
  database: await openStateDatabase(directory),
  bufferCapacity: 1000,
  flushIntervalMs: 50,
  maxBatchSize: 100,
  isStrict: process.argv[3] === 'strict',
  clock: realClock,
  log: () => {},
});
const ended = openSync(join(directory, 'ended'), 'w');
for (let i = 1; ; i++) {
  const action = await log.begin();
  if (i % 10 === 0) await log.begin(); // one that never ends
  await setImmediate(); // the call of this action waits for its server
  await action.end(draftOf({ duration_us: i, details: { text: 'x'.repeat(i % 3000) } }));
  writeSync(ended, `${i}\n`);
  if (i === 20) process.stdout.write('begun\n'); // two have begun that never end, so that a loss is reported
}
