// A process that begins an execution, prints the name of the driver once it is durable, and stays until it is killed. Its
// arguments are the state directory and the name of a driver, by default the first that works in its Node.
import { openStateDatabase } from '../database.js';
import { createLedger } from '../ledger.js';
import { intentOf } from './intent.js';
import { usableDrivers } from './sqlite-drivers.js';

const [directory = '', name] = process.argv.slice(2);
const used = (await usableDrivers()).find((each) => name === undefined || each.name === name);
if (used === undefined) throw new Error(`${name} does not work in Node ${process.version}`);
const database = await openStateDatabase(directory, { drivers: [used.driver] });
await createLedger(database).begin(intentOf());
process.stdout.write(`${used.name}\n`);
setInterval(() => {}, 60_000);
