// Recognizes key names of secrets. Names are compared without regard to case, and `-` is as good as `_`. Whole names
// only: `token` is not `max_tokens`, and `apikey` is not `api_key`.

/** Replaces a redacted value. */
export const redacted = '[REDACTED]';

/** Names of keys whose values are redacted by default. */
export const defaultRedactKeys: readonly string[] = Object.freeze([
  'password',
  'passwd',
  'secret',
  'token',
  'api_key',
  'apikey',
  'access_token',
  'refresh_token',
  'client_secret',
  'authorization',
  'cookie',
  'private_key',
]);

export interface RedactKeys {
  has(name: string): boolean;
  /** The different lengths of the names, longest first. */
  readonly lengths: readonly number[];
}

export function compileRedactKeys(keys: readonly string[]): RedactKeys {
  const names = new Set(keys.map(normalizeKey));
  return Object.freeze({
    has: (name: string) => names.has(normalizeKey(name)),
    lengths: Object.freeze([...new Set(keys.map((key) => key.length))].sort((a, b) => b - a)),
  });
}

/** One spelling for all spellings of a key name. */
export function normalizeKey(name: string): string {
  return name.toLowerCase().replaceAll('-', '_');
}
