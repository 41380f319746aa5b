// What logins brought, sealed, in the state database. The key is opened when a record is first read or written, so that
// a daemon whose servers want no login never asks for one. What a record is, its owner knows.
import type { StateDatabase } from '../database.js';
import { type SealKey, seal, unseal } from './seal.js';

interface Key {
  /** Id of the upstream server. */
  readonly server: string;
  /** Of the authorization server. */
  readonly issuer: string;
}

export interface OAuthRecords<R> {
  /** Undefined, with a warning, for a record that cannot be opened: it is deleted. */
  get(key: Key): Promise<R | undefined>;
  /** Replaces the whole record; resolves when it is on disk. */
  set(key: Key, record: R): Promise<void>;
  delete(key: Key): Promise<void>;
  /** Deletes what the server has at other authorization servers. */
  deleteOthers(key: Key): Promise<void>;
  /** Deletes what belongs to other servers than these. */
  retain(servers: readonly string[]): Promise<void>;
}

export interface OAuthRecordsOptions {
  readonly openKey: () => Promise<SealKey>;
  readonly log: (level: 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Counts up when records change their shape: older ones cannot be opened then. */
const format = 1;

export function createOAuthRecords<R extends object>(
  { reads, write }: StateDatabase,
  { openKey, log }: OAuthRecordsOptions,
): OAuthRecords<R> {
  let opening: Promise<SealKey> | undefined;
  const keyOf = (): Promise<SealKey> => {
    opening ??= openKey().catch((error) => {
      opening = undefined; // the next one tries again
      throw error;
    });
    return opening;
  };
  const deleteOne = ({ server, issuer }: Key) =>
    write(async (trx) => {
      await trx.deleteFrom('oauth').where('server', '=', server).where('issuer', '=', issuer).execute();
    });

  return {
    async get({ server, issuer }) {
      const row = await reads
        .selectFrom('oauth')
        .select('sealed')
        .where('server', '=', server)
        .where('issuer', '=', issuer)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const text = unseal(await keyOf(), placeOf({ server, issuer }), row.sealed);
      if (text !== undefined) return JSON.parse(text) as R; // nobody else can have sealed it
      log('warn', 'the login that was kept cannot be opened and is forgotten; log in again', { server });
      await deleteOne({ server, issuer });
      return undefined;
    },
    async set({ server, issuer }, record) {
      const sealed = seal(await keyOf(), placeOf({ server, issuer }), JSON.stringify(record));
      await write(async (trx) => {
        await trx
          .insertInto('oauth')
          .values({ server, issuer, sealed })
          .onConflict((conflict) => conflict.columns(['server', 'issuer']).doUpdateSet({ sealed }))
          .execute();
      });
    },
    delete: deleteOne,
    deleteOthers: ({ server, issuer }) =>
      write(async (trx) => {
        await trx.deleteFrom('oauth').where('server', '=', server).where('issuer', '!=', issuer).execute();
      }),
    async retain(servers) {
      const kept = await reads.selectFrom('oauth').select('server').distinct().execute();
      const gone = kept.map(({ server }) => server).filter((server) => !servers.includes(server));
      if (gone.length === 0) return;
      await write(async (trx) => {
        await trx.deleteFrom('oauth').where('server', 'in', gone).execute();
      });
    },
  };
}

const placeOf = ({ server, issuer }: Key): string => JSON.stringify([format, server, issuer]);
