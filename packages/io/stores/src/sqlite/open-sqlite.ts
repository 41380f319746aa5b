// Chooses the driver for the state of a daemon: the first that works in this Node.
import { betterSqlite3 } from './better-sqlite3.js';
import type { OpenSqlite, SqliteDriver } from './connection.js';
import { nodeSqlite } from './node-sqlite.js';

/** Node 22 has one too, and calls it experimental. */
const firstWithOwn = 24;

/**
 * Not better-sqlite3 in Node 24 and later: version 12, compiled for a recent one, aborts the process when Node collects
 * garbage outside of JavaScript. @param nodeVersion as `process.versions.node` has it
 */
export function driversFor(nodeVersion: string): readonly SqliteDriver[] {
  return Number.parseInt(nodeVersion, 10) >= firstWithOwn ? [nodeSqlite] : [betterSqlite3, nodeSqlite];
}

/** No driver works in this Node. */
export class SqliteMissingError extends Error {
  readonly nextStep: string;

  constructor(reasons: readonly string[], commands: readonly string[]) {
    super(reasons.join(', and '));
    this.nextStep = [
      `use an official build of Node ${firstWithOwn} or later, which has SQLite built in`,
      ...commands.map((it) => `run: ${it}`),
    ].join(', or ');
  }
}

/** @throws SqliteMissingError */
export async function loadSqlite(drivers: readonly SqliteDriver[]): Promise<OpenSqlite> {
  const reasons: string[] = [];
  const commands: string[] = [];
  for (const driver of drivers) {
    const found = await driver.load();
    if (found.kind === 'loaded') return found.open;
    reasons.push(found.reason);
    if (found.nextStep !== undefined) commands.push(found.nextStep);
  }
  throw new SqliteMissingError(reasons, commands);
}
