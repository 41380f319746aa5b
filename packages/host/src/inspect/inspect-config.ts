// Checks a configuration on this machine, without starting anything: the file itself, the environment it needs, and the
// secrets it names. Never shows a value.
import { createSecretSource, loadConfig } from '@portico/config-host';
import {
  type Config,
  type Issue,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type ServerConfig,
  secretScheme,
} from '@portico/contracts';
import type { ConfiguredServers } from '@portico/control-plane';
import { environmentIssues } from '../environment-issues.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface InspectedConfig {
  readonly config: Config;
  /** Definitions of its servers as they are written, with their secrets. */
  readonly servers: ConfiguredServers;
  /** Fields that have no effect. */
  readonly warnings: readonly Issue[];
  /** Missing environment variables. */
  readonly environment: readonly Issue[];
  /** Fields whose secret cannot be had, and why. */
  readonly secrets: readonly Issue[];
}

/**
 * Reads a configuration file and reports unknown fields and secrets that cannot be found.
 * @throws ConfigError
 */
export async function inspectConfig(
  configFile: string,
  env: Environment,
  signal: AbortSignal,
): Promise<InspectedConfig> {
  const { value, config, warnings } = await loadConfig(configFile);
  const lookUp = createSecretSource({ env });
  const asked = [...config.servers].flatMap(([id, server]) =>
    secretFields(server).map(async ([field, uri]): Promise<Issue[]> => {
      const found = await lookUp(uri, signal);
      if (found.kind === 'found') return [];
      return [{ path: `mcpServers.${id}.${field}`, message: `the ${secretScheme(uri)}:// secret ${found.reason}` }];
    }),
  );
  return {
    config,
    servers: serversOf(value.mcpServers),
    warnings,
    environment: environmentIssues(config, env),
    secrets: (await Promise.all(asked)).flat(),
  };
}

function serversOf(map: JsonValue | undefined): ConfiguredServers {
  const all = isJsonObject(map) ? Object.entries(map) : [];
  return Object.fromEntries(all.filter((entry): entry is [string, JsonObject] => isJsonObject(entry[1])));
}

function secretFields({ transport }: ServerConfig): readonly (readonly [string, string])[] {
  const blocks: Readonly<Record<string, object | null>> =
    transport.kind === 'stdio' ? { env: transport.env } : { headers: transport.headers, auth: transport.auth };
  return Object.entries(blocks).flatMap(([block, fields]) =>
    Object.entries(fields ?? {}).flatMap(([name, value]) =>
      typeof value === 'string' && secretScheme(value) !== undefined ? [[`${block}.${name}`, value] as const] : [],
    ),
  );
}
