// `npm run interop`: real clients through Portico beside sessions with the server itself.
import { npmClients } from './clients.js';
import { clientTable, differenceLines } from './report.js';
import { tryClients } from './try-clients.js';

const rows = await tryClients(npmClients, 2);
for (const line of [...clientTable(rows), ...differenceLines(rows)]) process.stdout.write(`${line}\n`);
process.exit(differenceLines(rows).length === 0 ? 0 : 1);
