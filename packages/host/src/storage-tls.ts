// Whether what goes to the state database can be read on its way: said at the start and by `portico doctor`.
import type { StorageConfig } from '@portico/contracts';
import { isLoopback } from '@portico/policy-engine';

type Environment = Readonly<Record<string, string | undefined>>;

/** A warning for an address beyond loopback that says nothing of TLS; undefined if it does, or cannot be looked into. */
export function unencryptedStorage(storage: StorageConfig | null, env: Environment): string | undefined {
  return storage === null ? undefined : unencryptedAddress(storage.url, env);
}

/** The warning for the address itself, where the configuration names it by a secret URI. */
export function unencryptedAddress(text: string, env: Environment): string | undefined {
  const url = /^postgres(ql)?:/.test(text) ? parse(text) : undefined;
  if (url === undefined) return undefined;
  const host = url.searchParams.get('host') ?? (url.hostname || env.PGHOST || 'localhost');
  const isSaid = ['sslmode', 'ssl'].some((name) => url.searchParams.has(name)) || Boolean(env.PGSSLMODE);
  if (isSaid || host.startsWith('/') || host.startsWith('%2F') || isLoopback(host)) return undefined;
  return `storage.url names ${host} without sslmode: records, tickets and the password may cross the network in the clear; add sslmode=verify-full, or sslmode=disable where the way is protected otherwise`;
}

function parse(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined; // a list of hosts, for one
  }
}
