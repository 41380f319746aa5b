// A process that begins an execution, says so once it is durable, and stays until it is killed.
import { openStateDatabase } from '../database.js';
import { createLedger } from '../ledger.js';
import { intentOf } from './intent.js';

const database = await openStateDatabase(process.argv[2] ?? '');
await createLedger(database).begin(intentOf());
process.stdout.write('begun\n');
setInterval(() => {}, 60_000);
