// The rows by which processes on one database know each other: each has a lease, and counts as ended once that has
// expired.
import { hostname } from 'node:os';
import { type Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import type { DaemonsTable, Tables } from '../tables.js';
import { StorageError } from './storage-error.js';

/** Milliseconds of the database's clock: those of the daemons may differ. */
const nowMs = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
export const clockMs = sql<number>`${sql.raw(nowMs)}`;
/** One for each schema: signals reach a whole database. */
export const channel = `'portico_' || md5(current_schema())`;

export const ownName = `process ${process.pid} on ${hostname()}`;

/** A daemon as others see it. */
export interface Daemon {
  readonly id: string;
  readonly stateDirectory: string;
  readonly version: string;
  readonly leaseMs: number;
}

/** The state of a lease at its renewal: held until then, expired before, or taken by another process. */
export type Lease = { readonly status: 'held' | 'lapsed' } | { readonly status: 'taken'; readonly by: string };

const ownRow = `select $1, $2, $3, $4, ${nowMs} + $5`;
const livesInItsPlace = `state_directory = $2 and id <> $1 and lease_until_ms >= ${nowMs}`;

/** A row that was removed comes back, unless another live daemon has its state directory. */
export async function renew(client: Client, self: Daemon): Promise<Lease> {
  const { id, stateDirectory } = self;
  const { rows } = await client.query(
    `insert into daemons (id, state_directory, name, version, lease_until_ms) ${ownRow}
     where exists (select from daemons where id = $1) or not exists (select from daemons where ${livesInItsPlace})
     on conflict (id) do update set lease_until_ms = excluded.lease_until_ms
     returning coalesce((select before.lease_until_ms >= ${nowMs} from daemons as before where before.id = $1), false) as was_held`,
    valuesOf(self),
  );
  if (rows[0]?.was_held === true) return { status: 'held' }; // the inner select sees the row as it was
  if (rows.length > 0) return { status: 'lapsed' };
  const others = await client.query(`select name from daemons where ${livesInItsPlace} limit 1`, [id, stateDirectory]);
  const [other] = others.rows;
  return other === undefined ? { status: 'lapsed' } : { status: 'taken', by: other.name };
}

const valuesOf = ({ id, stateDirectory, version, leaseMs }: Daemon) => [id, stateDirectory, ownName, version, leaseMs];

/**
 * Replaces the row with the same state directory. Under a lock: a row that is removed here and one that comes back do
 * not overwrite each other.
 * @throws StorageError while daemons of another version live
 */
export async function takePlace(client: Client, self: Daemon): Promise<void> {
  await client.query('begin');
  await client.query('lock table daemons in exclusive mode');
  await client.query(
    `insert into daemons (id, state_directory, name, version, lease_until_ms) ${ownRow}`,
    valuesOf(self),
  );
  await remove(client, 'state_directory = $1 and id <> $2', [self.stateDirectory, self.id]);
  await refuseOthers(client, self.version);
  await client.query('commit'); // where it is not reached, the connection ends
}

async function refuseOthers(client: Client, version: string): Promise<void> {
  const { rows } = await client.query(
    `select name, version from daemons where version <> $1 and lease_until_ms >= ${nowMs} order by name limit 1`,
    [version],
  );
  const [other] = rows;
  if (other !== undefined) throw otherVersionError(other, version);
}

/**
 * Before anything is migrated: a daemon of another version would have to work with tables that it does not know. One with
 * the same state directory does not count, since `takePlace` removes it.
 * @throws StorageError while daemons of another version live
 */
export async function refuseOtherVersions(
  db: Kysely<Tables>,
  { version, stateDirectory }: Pick<Daemon, 'version' | 'stateDirectory'>,
): Promise<void> {
  const [other] = await readLiving(db)
    .where('version', '<>', version)
    .where('state_directory', '<>', stateDirectory)
    .execute();
  if (other !== undefined) throw otherVersionError(other, version);
}

/** Names and versions of the daemons that live, by name. */
export function readLiving(db: Kysely<Tables>) {
  return db.selectFrom('daemons').select(['name', 'version']).where('lease_until_ms', '>=', clockMs).orderBy('name');
}

function otherVersionError(other: Pick<DaemonsTable, 'name' | 'version'>, version: string): StorageError {
  return new StorageError(
    `storage.url: ${other.name} uses this database with version ${other.version}, and this is ${version}; stop the one, or start that version`,
  );
}

/** Others may take over at once. */
export function leave(client: Client, id: string): Promise<void> {
  return remove(client, 'id = $1', [id]);
}

/** Deletes requests to ended daemons. */
export async function removeGone(client: Client): Promise<void> {
  await remove(client, `lease_until_ms < ${nowMs}`, []);
  await client.query(`delete from errands where expires_at_ms < ${nowMs}`);
}

/** Removes daemons that count as ended, and notifies the others of each. */
async function remove(client: Client, condition: string, parameters: readonly string[]): Promise<void> {
  await client.query(
    `with gone as (delete from daemons where ${condition} returning id) select pg_notify(${channel}, 'gone ' || id) from gone`,
    [...parameters],
  );
}
