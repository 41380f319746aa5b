// The state of one daemon: a directory that is its alone, and the database in it.
import { openStateDatabase, openStateDirectory, type StateDatabase } from '@portico/stores';

export interface OpenState {
  readonly directory: string;
  readonly database: StateDatabase;
  /** @throws Error when the database cannot be used */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** @throws StateDirectoryError */
export async function openState(path: string): Promise<OpenState> {
  const directory = await openStateDirectory(path);
  try {
    const database = await openStateDatabase(path);
    const close = async () => {
      await database.close();
      await directory.close();
    };
    const ping = () =>
      database.ping().catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`the state database cannot be used: ${reason}`, { cause: error });
      });
    return { directory: path, database, ping, close };
  } catch (error) {
    await directory.close();
    throw error;
  }
}
