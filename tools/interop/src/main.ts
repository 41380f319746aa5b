// `npm run interop`: real clients through Portico beside sessions with the server itself.
import { clients, languages } from './clients.js';
import { prepare } from './install.js';
import { clientTable, differenceLines } from './report.js';
import { type Ready, tryClients } from './try-clients.js';

const ready: Ready[] = [];
const only = process.argv.slice(2);
for (const language of languages.filter((l) => only.length === 0 || only.includes(l))) {
  const wanted = clients.filter((client) => client.language === language);
  const prepared = prepare(language, wanted);
  if (prepared.kind === 'left-out') {
    console.log(prepared.reason);
    continue;
  }
  ready.push(
    ...wanted
      .filter((c) => !process.env.C || process.env.C.split(',').includes(c.id))
      .map((client) => ({ client, program: prepared.programOf(client) })),
  );
}
const rows = await tryClients(ready, 2);
for (const line of [...clientTable(rows), ...differenceLines(rows)]) process.stdout.write(`${line}\n`);
process.exit(differenceLines(rows).length === 0 ? 0 : 1);
