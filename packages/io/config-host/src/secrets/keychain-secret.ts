// `keychain://service/account`, read from a keyring. Both parts may hold what URIs escape, written as `%2F` and the like.
import type { SecretLookup } from '@portico/contracts';
import { type Keyring, KeyringUnavailable, type OpenKeyring } from './keyring.js';
import { waitForKeyring } from './keyring-wait.js';
import { found, missing } from './secret-lookup.js';

export interface KeychainOptions {
  readonly openKeyring: OpenKeyring;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** @param path what follows `keychain://`. @throws the reason of an aborted signal */
export async function readKeychainSecret(path: string, options: KeychainOptions): Promise<SecretLookup> {
  const entry = parseEntry(path);
  if (entry === null) return missing('names no entry; write keychain://SERVICE/ACCOUNT');
  const { openKeyring, limitMs, signal } = options;
  return waitForKeyring(
    openKeyring().then((keyring) => read(keyring, entry)),
    limitMs,
    signal,
  ).catch((error: unknown) => {
    signal.throwIfAborted();
    // A keyring's message about an entry may name it, or hold the value.
    return missing(`cannot be read: ${error instanceof KeyringUnavailable ? error.message : 'the keyring refused it'}`);
  });
}

interface Entry {
  readonly service: string;
  readonly account: string;
}

function parseEntry(path: string): Entry | null {
  const [service = '', account = ''] = path.split(/\/(.*)/s);
  try {
    const entry = { service: decodeURIComponent(service), account: decodeURIComponent(account) };
    return entry.service === '' || entry.account === '' ? null : entry;
  } catch {
    return null;
  }
}

async function read(keyring: Keyring, { service, account }: Entry): Promise<SecretLookup> {
  const value = await keyring.read(service, account);
  return value === null ? missing('names an entry that the keyring does not have') : found(value);
}
