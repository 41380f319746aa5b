// The static tokens of a configuration file, changed in the file with its comments. A token itself is in no file: only its
// SHA-256 digest is.
import { resolve } from 'node:path';
import { loadConfig, openConfigFile } from '@portico/config-host';
import { isJsonObject, type JsonObject, type JsonValue } from '@portico/contracts';

/** A token as the file has it. */
export interface ListedToken {
  /** Index in `rbac.tokens`. */
  readonly index: number;
  /** `actorId`; null if it has none. */
  readonly name: string | null;
  readonly role: string;
  /** The form of it in the file. */
  readonly kind: 'sha256' | 'env' | 'value';
  /** SHA-256 in lower-case hex; null if the file does not hold it. */
  readonly sha256: string | null;
}

export interface TokenFile {
  readonly roles: readonly string[];
  readonly tokens: readonly ListedToken[];
}

/**
 * Lists roles and tokens of a configuration file; of a token it has the SHA-256 only.
 * @throws ConfigError
 */
export async function readTokens(configFile: string): Promise<TokenFile> {
  const { rbac } = (await loadConfig(resolve(configFile))).config;
  const tokens = (rbac?.tokens ?? []).map(({ role, actorId, source }, index) => ({
    index,
    name: actorId,
    role,
    kind: source.kind,
    sha256: source.kind === 'sha256' ? source.digest : null,
  }));
  return { roles: [...(rbac?.roles.keys() ?? [])], tokens };
}

/**
 * Writes the list that `change` makes of the one in the file, if the whole file is valid then.
 * @param change gets the items as the file has them @throws ConfigError, and what `change` throws, with nothing changed
 */
export async function changeTokens(
  configFile: string,
  change: (tokens: readonly JsonObject[]) => readonly JsonObject[],
): Promise<void> {
  const source = await openConfigFile(resolve(configFile), { check: () => [], log: () => {} });
  await source.change((file) => {
    const rbac = isJsonObject(file.rbac) ? file.rbac : {};
    const tokens: readonly JsonValue[] = Array.isArray(rbac.tokens) ? rbac.tokens : [];
    return [{ path: ['rbac', 'tokens'], value: [...change(tokens.filter(isJsonObject))] }];
  });
}
