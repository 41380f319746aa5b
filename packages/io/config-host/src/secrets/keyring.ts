// The keyring of the operating system: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux.
// The library is native code and is loaded when it is first needed, so that a machine without any keyring runs as well.

export interface Keyring {
  /** Null when there is no such entry. Rejects when the keyring cannot be read, as when it stays locked. */
  read(service: string, account: string): Promise<string | null>;
  /** Adds or replaces. */
  write(service: string, account: string, value: string): Promise<void>;
}

/** @throws KeyringUnavailable */
export type OpenKeyring = () => Promise<Keyring>;

/** The message says what is missing and what would help; it names no entry. */
export class KeyringUnavailable extends Error {}

/**
 * On Linux the Secret Service alone: the library would else fall back to the keyring of the kernel, which is empty
 * after every boot.
 */
const options = { linux: { store: 'secret-service' } } as const;

export const openSystemKeyring: OpenKeyring = async () => {
  const { AsyncEntry } = await import('@napi-rs/keyring').catch((error: unknown) => {
    throw new KeyringUnavailable('the keyring library @napi-rs/keyring is not there for this machine', {
      cause: error,
    });
  });
  const entryOf = (service: string, account: string) => {
    try {
      return new AsyncEntry(service, account, options);
    } catch (error) {
      throw new KeyringUnavailable(advice(process.platform), { cause: error });
    }
  };
  return {
    read: async (service, account) => (await entryOf(service, account).getPassword()) ?? null,
    write: async (service, account, value) => entryOf(service, account).setPassword(value),
  };
};

const advice = (platform: NodeJS.Platform): string =>
  platform === 'linux'
    ? 'no keyring answers; start one that offers the Secret Service, such as GNOME Keyring, KWallet or KeePassXC'
    : 'the keyring of the operating system cannot be used';
