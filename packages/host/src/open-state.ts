// The state of a daemon: a directory that is its alone, and the database: in it, or the one that `storage.url` names, which
// others may share.
import type { LookUpSecret, StorageConfig } from '@portico/contracts';
import { type Log, noPeers, type Peers } from '@portico/control-plane';
import {
  createPeers,
  openPostgresDatabase,
  openStateDatabase,
  type StateDatabase,
  StorageError,
} from '@portico/stores';
import type { KnownSecrets } from '@portico/upstream-mcp';
import { takeStateDirectory } from './hand-over/take-state-directory.js';
import type { Tenure } from './host-options.js';
import { unencryptedAddress } from './storage-tls.js';
import { version } from './version.js';

export interface OpenState {
  readonly directory: string;
  /** Identifies the directory among others whose daemons use the same database; undefined if there are no others. */
  readonly directoryId: string | undefined;
  readonly database: StateDatabase;
  /** The daemons that share it. */
  readonly peers: Peers;
  /** @throws Error when the database cannot be used */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface StorageDeps {
  /** Null for SQLite in the directory. */
  readonly storage: StorageConfig | null;
  readonly lookUpSecret: LookUpSecret;
  readonly knownSecrets: KnownSecrets;
  readonly log: Log;
}

/** @throws StateDirectoryError, StorageError */
export async function openState(path: string, deps: StorageDeps, tenure?: Tenure): Promise<OpenState> {
  const directory = await takeStateDirectory(path, tenure, deps.log);
  try {
    const { storage } = deps;
    const directoryId = storage === null ? undefined : await directory.id();
    const database =
      storage === null || directoryId === undefined
        ? await openStateDatabase(path, { onSlowDisk: warnOfSlowDisk(path, deps.log) })
        : await openPostgresDatabase({
            ...(await toPostgres(storage, deps)),
            stateDirectory: directoryId,
            version,
          });
    const close = async () => {
      await database.close();
      await directory.close();
    };
    const ping = () =>
      database.ping().catch((error: unknown) => {
        if (error instanceof StorageError) throw error; // it says so itself
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`the state database cannot be used: ${reason}`, { cause: error });
      });
    const peers = storage === null ? noPeers : createPeers(database, deps.log);
    return { directory: path, directoryId, database, peers, ping, close };
  } catch (error) {
    await directory.close();
    throw error;
  }
}

function warnOfSlowDisk(directory: string, log: Log): (waitedMs: number) => void {
  return (waited_ms) =>
    log(
      'warn',
      'the disk was slow to confirm writes, and calls under a key waited for it; see what else writes to it',
      {
        state_directory: directory,
        waited_ms,
      },
    );
}

const lookUpLimitMs = 30_000;

/** The address itself, with its password kept out of every log. @throws StorageError */
export async function toPostgres(
  { url }: StorageConfig,
  { lookUpSecret, knownSecrets, log }: Omit<StorageDeps, 'storage'>,
) {
  const onPassword = (password: string) => knownSecrets.learn('storage.url', [password]);
  if (url.startsWith('postgres')) return warned({ url, log, onPassword });
  const found = await lookUpSecret(url, AbortSignal.timeout(lookUpLimitMs));
  if (found.kind === 'missing') throw new StorageError(`storage.url: ${url} ${found.reason}`);
  return warned({ url: found.value, log, onPassword });
}

function warned<T extends { readonly url: string; readonly log: Log }>(postgres: T): T {
  const warning = unencryptedAddress(postgres.url, process.env); // the driver reads the same variables
  if (warning !== undefined) postgres.log('warn', warning);
  return postgres;
}
