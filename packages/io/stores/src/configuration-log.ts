// The log of changes that daemons make in their configuration files, in the database that they share. A change is kept
// until every file has it, or for thirty days: a file that was away for longer counts as new.
import { type JsonObject, parseJson } from '@portico/contracts';
import type { ConfigurationLog, FileStanding, SharedChange } from '@portico/control-plane';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { StateDatabase } from './database.js';
import type { Tables } from './tables.js';

export interface ConfigurationLogOptions {
  /** Identifies the file among those of other daemons. */
  readonly file: string;
  readonly epochMs: () => number;
}

const keptMs = 30 * 24 * 60 * 60 * 1000;

/** As one file sees it. */
export function createConfigurationLog(
  { reads, write, signals }: StateDatabase,
  { file, epochMs }: ConfigurationLogOptions,
): ConfigurationLog {
  return {
    exclusively: (work) =>
      write(
        async (trx) => {
          // Until the end, so that changes are numbered in the order in which they are committed.
          await sql`lock table configuration_changes in share row exclusive mode`.execute(trx);
          const standing = await standingOf(trx, file);
          const newest = await newestOf(trx);
          let last = newest;
          const result = await work({
            standing,
            newest,
            other: await outlineOfAnother(trx, file, newest),
            missed: standing === undefined ? [] : await changesAfter(trx, standing.seq),
            async append(edits) {
              const row = { file, edits: JSON.stringify(edits), made_at_ms: epochMs() };
              const inserted = trx.insertInto('configuration_changes').values(row).returning('seq');
              last = (await inserted.executeTakeFirstOrThrow()).seq;
              return last;
            },
            settle: (next) => settle(trx, file, next),
          });
          await purge(trx, epochMs() - keptMs);
          if (last > newest) await signals.send(trx, 'configuration', String(last));
          return result;
        },
        { isOnce: true }, // the work writes a file
      ),
    newest: () => newestOf(reads),
    follow: (listener) =>
      signals.on('configuration', (subject) => listener(subject === undefined ? undefined : Number(subject))),
  };
}

async function standingOf(trx: Transaction<Tables>, file: string): Promise<FileStanding | undefined> {
  const rows = trx.selectFrom('configuration_readers').select(['seq', 'outline']).where('file', '=', file);
  const row = await rows.executeTakeFirst();
  return row && { seq: row.seq, outline: parseJson(row.outline) };
}

async function outlineOfAnother(
  trx: Transaction<Tables>,
  file: string,
  newest: number,
): Promise<JsonObject | undefined> {
  const rows = trx.selectFrom('configuration_readers').select('outline').where('file', '!=', file);
  const row = await rows.where('seq', '=', newest).limit(1).executeTakeFirst();
  return row && parseJson(row.outline);
}

async function changesAfter(trx: Transaction<Tables>, after: number): Promise<readonly SharedChange[]> {
  const rows = trx.selectFrom('configuration_changes').select(['seq', 'edits']).where('seq', '>', after);
  return (await rows.orderBy('seq').execute()).map(({ seq, edits }) => ({ seq, edits: parseJson(edits) }));
}

/** Also of one that is not kept any more: then a file has it. */
async function newestOf(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select greatest(
    (select max(seq) from configuration_changes), (select max(seq) from configuration_readers), 0) as newest`.execute(
    db,
  );
  return rows[0]?.newest ?? 0;
}

async function settle(trx: Transaction<Tables>, file: string, { seq, outline }: FileStanding): Promise<void> {
  const row = { seq, outline: JSON.stringify(outline) };
  await trx
    .insertInto('configuration_readers')
    .values({ file, ...row })
    .onConflict((conflict) => conflict.column('file').doUpdateSet(row))
    .execute();
}

/** Deletes changes that all files have, and those that are too old; a file that has missed one is forgotten. */
async function purge(trx: Transaction<Tables>, oldestMs: number): Promise<void> {
  const changes = trx.selectFrom('configuration_changes');
  const lost = await changes
    .select((of) => of.fn.max('seq').as('seq'))
    .where('made_at_ms', '<', oldestMs)
    .executeTakeFirst();
  if (lost?.seq != null) {
    await trx.deleteFrom('configuration_readers').where('seq', '<', lost.seq).execute();
    await trx.deleteFrom('configuration_changes').where('seq', '<=', lost.seq).execute();
  }
  const least = trx.selectFrom('configuration_readers').select((of) => of.fn.min('seq').as('seq'));
  await trx.deleteFrom('configuration_changes').where('seq', '<=', least).execute();
}
