// A process that begins an execution, says so once it is durable, and stays until it is killed. Its arguments are the state
// directory and the name of a driver.
import { openStateDatabase } from '../database.js';
import { createLedger } from '../ledger.js';
import { intentOf } from './intent.js';
import { usableDrivers } from './sqlite-drivers.js';

const [directory = '', name] = process.argv.slice(2);
const drivers = (await usableDrivers()).filter((each) => each.name === name).map(({ driver }) => driver);
const database = await openStateDatabase(directory, { drivers });
await createLedger(database).begin(intentOf());
process.stdout.write('begun\n');
setInterval(() => {}, 60_000);
