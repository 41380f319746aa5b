// Stores logins to upstream servers in the state database, under a key of the keyring or the state directory.
import { createKeyringEntry } from '@portico/config-host';
import type { Log } from '@portico/control-plane';
import { createOAuthRecords, type OAuthRecords, openSealKey } from '@portico/stores';
import type { OAuthRecord } from '@portico/upstream-mcp';
import type { OpenState } from './open-state.js';

export type Logins = OAuthRecords<OAuthRecord>;

/** One key for all state directories of a user: they may be moved, and leave nothing behind in the keyring. */
const keyEntry = { service: 'portico', account: 'login-key' };

export function createLogins({ database, directory }: OpenState, log: Log): Logins {
  const keyring = createKeyringEntry(keyEntry.service, keyEntry.account);
  const openKey = (isKeyringUsed: boolean) => openSealKey({ directory, keyring, isKeyringUsed, log });
  return createOAuthRecords(database, { openKey, log });
}
