// The results of logins, encrypted, in the state database. The key is opened at the first read or write of a record, so
// that a daemon whose servers need no login never asks for one. Only the owner of a record interprets it.
import { parseJson } from '@portico/contracts';
import type { StateDatabase } from '../database.js';
import { idOf, type SealKey, seal, unseal } from './seal.js';

interface Key {
  /** Id of the upstream server. */
  readonly server: string;
  /** Issuer of the authorization server. */
  readonly issuer: string;
}

export interface OAuthRecords<R> {
  /**
   * Undefined, with a warning, for a record that cannot be opened. One that was sealed with another key stays, for the
   * case that its key comes back; any other was changed or moved, and is deleted.
   */
  get(key: Key): Promise<R | undefined>;
  /** Replaces the whole record; resolves when it is on disk. */
  set(key: Key, record: R): Promise<void>;
  /** One that was sealed with another key stays: it is another daemon's. */
  delete(key: Key): Promise<void>;
  /** Deletes what the server has at other authorization servers. */
  deleteOthers(key: Key): Promise<void>;
  /** Excludes all other work on the record, in this process and in others on its database. */
  exclusively<T>(key: Key, work: () => Promise<T>): Promise<T>;
  /** Deletes what belongs to other servers than these; where others share it, to those that were among these before. */
  retain(servers: readonly string[]): Promise<void>;
}

export interface OAuthRecordsOptions {
  /** @param isKeyringUsed whether a record was sealed with a key of the keyring */
  readonly openKey: (isKeyringUsed: boolean) => Promise<SealKey>;
  readonly log: (level: 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void;
}

/** Counts up when records change their shape: older ones cannot be opened then. */
const format = 1;

/** Creates the store of logins at servers; records are sealed with a key of the keyring or of a file. */
export function createOAuthRecords<R extends object>(
  { reads, write, exclusively, signals }: StateDatabase,
  { openKey, log }: OAuthRecordsOptions,
): OAuthRecords<R> {
  let opening: Promise<SealKey> | undefined;
  const warned = new Set<string>();
  /** Other processes on the database may have servers that this process does not have: it only deletes its own. */
  let had: ReadonlySet<string> = new Set();
  const isKeyringUsed = async (): Promise<boolean> => {
    const rows = reads.selectFrom('oauth').select('sealed_with').where('sealed_with', 'like', 'keyring:%');
    return (await rows.limit(1).executeTakeFirst()) !== undefined;
  };
  const keyOf = (): Promise<SealKey> => {
    opening ??= isKeyringUsed()
      .then(openKey)
      .catch((error) => {
        opening = undefined; // the next one tries again
        throw error;
      });
    return opening;
  };
  const deleteOne = ({ server, issuer }: Key, sealedWith: string) =>
    write(async (trx) => {
      const rows = trx.deleteFrom('oauth').where('server', '=', server).where('issuer', '=', issuer);
      await rows.where('sealed_with', '=', sealedWith).execute();
    });

  return {
    async get({ server, issuer }) {
      const rows = await reads
        .selectFrom('oauth')
        .select(['sealed', 'sealed_with'])
        .where('server', '=', server)
        .where('issuer', '=', issuer)
        .execute();
      if (rows.length === 0) return undefined;
      const key = await keyOf();
      const row = rows.find(({ sealed_with }) => sealed_with === idOf(key));
      const place = placeOf({ server, issuer });
      if (row === undefined) {
        if (!warned.has(place))
          log('warn', 'the login that was kept was sealed with another key; log in again', { server });
        warned.add(place);
        return undefined;
      }
      const text = unseal(key, place, row.sealed);
      if (text !== undefined) return parseJson(text) as R; // only this installation has the key that sealed it
      log('warn', 'the login that was kept cannot be opened and is forgotten; log in again', { server });
      await deleteOne({ server, issuer }, row.sealed_with);
      return undefined;
    },
    async set({ server, issuer }, record) {
      had = new Set([...had, server]);
      const key = await keyOf();
      const sealed = seal(key, placeOf({ server, issuer }), JSON.stringify(record));
      await write(async (trx) => {
        await trx
          .insertInto('oauth')
          .values({ server, issuer, sealed, sealed_with: idOf(key) })
          .onConflict((conflict) => conflict.columns(['server', 'issuer', 'sealed_with']).doUpdateSet({ sealed }))
          .execute();
      });
    },
    delete: async (key) => deleteOne(key, idOf(await keyOf())),
    deleteOthers: ({ server, issuer }) =>
      write(async (trx) => {
        await trx.deleteFrom('oauth').where('server', '=', server).where('issuer', '!=', issuer).execute();
      }),
    exclusively: (key, work) => exclusively(`login ${placeOf(key)}`, work),
    async retain(servers) {
      const kept = await reads.selectFrom('oauth').select('server').distinct().execute();
      const isGone = (server: string) => !servers.includes(server) && (!signals.isShared || had.has(server));
      const gone = kept.map(({ server }) => server).filter(isGone);
      if (gone.length > 0) {
        await write(async (trx) => {
          await trx.deleteFrom('oauth').where('server', 'in', gone).execute();
        });
      }
      had = new Set(servers);
    },
  };
}

const placeOf = ({ server, issuer }: Key): string => JSON.stringify([format, server, issuer]);
