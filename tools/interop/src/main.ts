// `npm run interop`: real clients and real servers through Portico, beside sessions without it. A difference that
// explained.ts does not explain ends the run with 1. Programs that cannot be installed here are left out, and listed in
// the last lines. A whole run that leaves nothing out is written into docs/interop.md; any other is only shown.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clients, type Language, languages } from './clients.js';
import { writeInto } from './document.js';
import { staleExplanations } from './explained.js';
import { prepare } from './install.js';
import { type Options, readOptions, usage } from './options.js';
import { clientDifferences, clientTable, serverDifferences, serverTable } from './report.js';
import { repository } from './repository.js';
import { servers } from './servers.js';
import { type Ready, type Row, tryClients } from './try-clients.js';
import { type ServerRun, tryServers } from './try-servers.js';
import { tryUpdate } from './try-update.js';

/** Much of a client's time is waiting. */
const atOnce = 3;

const leftOut: string[] = [];
const say = (...lines: readonly string[]) => process.stdout.write(lines.map((line) => `${line}\n`).join(''));

const options = optionsOrExit();
const rows = await runClients(options);
const { found, alarms, leftOut: absent } = await runServers(options);
const update = await runUpdate(options);
leftOut.push(...absent.map(({ server, reason }) => `server ${server.id}: ${reason}`));
if (rows.length > 0) say(...clientTable(rows), '');
if (found.length > 0) say(...serverTable(found), '');
const problems = [
  ...clientDifferences(rows),
  ...serverDifferences(found),
  ...alarms.map((alarm) => `LOCK    a drift where nothing had changed: ${alarm}`),
  ...update.map((problem) => `UPDATE  ${problem}`),
  ...staleExplanations(rows).map((entry) => `STALE   explained.ts explains no difference any more: ${entry}`),
];
say(...problems, ...leftOut.map((what) => `LEFT OUT ${what}`));
writeDocument();
process.exit(problems.length === 0 ? 0 : 1); // servers may have left something behind that waits

function optionsOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}\n`); // parseArgs and readOptions throw errors
    process.exit(2);
  }
}

function runClients({ parts, clients: ids }: Options): Promise<readonly Row[]> {
  const wanted = languages.filter((language) => parts.includes(language)).flatMap((language) => readyOf(language, ids));
  return tryClients(wanted, atOnce);
}

function readyOf(language: Language, ids: readonly string[]): readonly Ready[] {
  const wanted = clients.filter((client) => client.language === language && ids.includes(client.id));
  if (wanted.length === 0) return [];
  const prepared = prepare(language, wanted);
  if (prepared.kind === 'ready') return wanted.map((client) => ({ client, program: prepared.programOf(client) }));
  leftOut.push(`clients ${wanted.map(({ id }) => id).join(', ')}: ${prepared.reason}`);
  return [];
}

async function runServers({ parts, servers: ids }: Options): Promise<ServerRun> {
  const sources = parts.includes('servers')
    ? ['workspace', 'npm', 'python']
    : parts.includes('npm')
      ? ['workspace']
      : [];
  const wanted = servers.filter(({ id, source }) => ids.includes(id) && sources.includes(source));
  return wanted.length === 0 ? { found: [], alarms: [], leftOut: [] } : tryServers(wanted);
}

/** Problems of an update under a lock. */
async function runUpdate({ parts, servers: ids }: Options): Promise<readonly string[]> {
  if (!parts.includes('npm') || !ids.includes('memory')) return [];
  const { problems: found, leftOut: reason, shown } = await tryUpdate();
  if (reason !== undefined) leftOut.push(`update under a lock: ${reason}`);
  say(...shown, '');
  return found;
}

function writeDocument(): void {
  if (!options.isWhole) return;
  if (problems.length > 0 || leftOut.length > 0) {
    say('docs/interop.md was not written, because something differs or was left out');
    return;
  }
  const file = join(repository, 'docs/interop.md');
  writeFileSync(file, writeInto(readFileSync(file, 'utf8'), rows, found));
  say('written: docs/interop.md');
}
