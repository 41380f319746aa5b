// Looks up the secrets that a configuration names by URI, in the place that the scheme says. Each request reads the
// value again; values are returned and not stored.
import type { LookUpSecret, SecretLookup } from '@portico/contracts';
import { readKeychainSecret } from './keychain-secret.js';
import { type OpenKeyring, openSystemKeyring } from './keyring.js';
import { readOpSecret } from './op-secret.js';
import { found, missing } from './secret-lookup.js';

export interface SecretSourceOptions {
  /** Environment that `env://` reads, and that `op` runs with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** That of the operating system unless said otherwise; opened for `keychain://` alone. */
  readonly openKeyring?: OpenKeyring;
  /** How long `op` and the keyring may take: 30 s unless said otherwise, since a person may have to unlock them. */
  readonly limitMs?: number;
}

const defaultLimitMs = 30_000;

/**
 * Creates the function that looks up secrets by URI: `env://`, `op://` (1Password) and `keychain://` (the keyring of the operating system).
 */
export function createSecretSource(options: SecretSourceOptions): LookUpSecret {
  const { env, openKeyring = openSystemKeyring, limitMs = defaultLimitMs } = options;
  return async (uri, signal) => {
    signal.throwIfAborted();
    const [scheme = '', rest = ''] = uri.split(/:\/\/(.*)/s);
    switch (scheme) {
      case 'env':
        return readEnvSecret(rest, env);
      case 'op':
        return readOpSecret(uri, { env, limitMs, signal });
      case 'keychain':
        return readKeychainSecret(rest, { openKeyring, limitMs, signal });
      default:
        return missing('has a scheme that is not known; use env://, op:// or keychain://');
    }
  };
}

function readEnvSecret(name: string, env: SecretSourceOptions['env']): SecretLookup {
  if (name === '') return missing('names no environment variable; write env://NAME');
  const value = env[name];
  return value === undefined ? missing('names an environment variable that is not set') : found(value);
}
