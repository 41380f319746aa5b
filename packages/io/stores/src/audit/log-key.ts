// The key of a log in the tables that several daemons may share.

/** The key of a file. Daemons on different hosts may have different files at the same path. */
export function logKey(path: string, owner: string | undefined): string {
  return owner === undefined ? path : `${owner}:${path}`;
}

const chainPrefix = 'postgres:';

/** The key of a chain whose records are in the database. */
export function chainKey(chainId: string): string {
  return `${chainPrefix}${chainId}`;
}

export const everyChainKey = `${chainPrefix}%`;

export function chainOfKey(key: string): string {
  return key.slice(chainPrefix.length);
}
