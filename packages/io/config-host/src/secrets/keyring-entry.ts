// One entry of the keyring, for what Portico itself keeps there.
import { type OpenKeyring, openSystemKeyring } from './keyring.js';
import { waitForKeyring } from './keyring-wait.js';

export interface KeyringEntry {
  /** Null when it is not there. Both reject when the keyring cannot be used. */
  read(): Promise<string | null>;
  write(text: string): Promise<void>;
}

export interface KeyringEntryOptions {
  readonly openKeyring?: OpenKeyring;
  /** 30 s unless said otherwise. */
  readonly limitMs?: number;
}

/** Opens one entry of the operating system's keyring. Reading and writing fail after `limitMs` milliseconds. */
export function createKeyringEntry(service: string, account: string, options: KeyringEntryOptions = {}): KeyringEntry {
  const { openKeyring = openSystemKeyring, limitMs = 30_000 } = options;
  return {
    read: () =>
      waitForKeyring(
        openKeyring().then((keyring) => keyring.read(service, account)),
        limitMs,
      ),
    write: (text) =>
      waitForKeyring(
        openKeyring().then((keyring) => keyring.write(service, account, text)),
        limitMs,
      ),
  };
}
