// A process that prints the record of `intentOf()` as JSON. Its argument is the state directory.
import { openStateDatabase } from '../database.js';
import { createLedger } from '../ledger.js';
import { intentOf } from './intent.js';

const [directory = ''] = process.argv.slice(2);
const { scope, key } = intentOf();
const database = await openStateDatabase(directory);
process.stdout.write(JSON.stringify(await createLedger(database).get(scope, key, 0)));
await database.close();
