// Where a host's configuration comes from, and what depends on that place: relative paths, state, AI clients.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { givenObject, openConfigFile, openConfigObject, type ResolverOptions } from '@portico/config-host';
import type { AiClients, ConfigSource } from '@portico/control-plane';
import { defaultStateDir } from './default-state-dir.js';
import type { HostOptions } from './host-options.js';
import { openAiClients } from './open-ai-clients.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface OpenConfiguration {
  readonly source: ConfigSource;
  /** As messages name it. */
  readonly name: string;
  /** Absolute; undefined where there is none. */
  readonly file: string | undefined;
  /** What relative paths in it start from. Absolute. */
  readonly directory: string;
  /** Where state is kept that nobody named a place for; `remove` where it goes with the host. */
  ownStateDir(): Promise<{ readonly path: string; readonly remove?: () => Promise<void> }>;
  /** Undefined where there is no file that a client could be told of. */
  aiClients(stateDirectory: string): AiClients | undefined;
}

/** @throws ConfigError */
export async function openConfiguration(
  options: HostOptions,
  env: Environment,
  resolving: ResolverOptions,
): Promise<OpenConfiguration> {
  if (options.config !== undefined) {
    return {
      source: openConfigObject(options.config, resolving),
      name: givenObject,
      file: undefined,
      directory: process.cwd(),
      async ownStateDir() {
        const path = await mkdtemp(join(tmpdir(), 'portico-'));
        return { path, remove: () => rm(path, { recursive: true, force: true }) };
      },
      aiClients: () => undefined,
    };
  }
  const { mcpStdio } = options;
  const configFile = resolve(options.configFile);
  return {
    source: await openConfigFile(configFile, resolving),
    name: configFile,
    file: configFile,
    directory: dirname(configFile),
    ownStateDir: async () => ({ path: defaultStateDir(configFile, env) }),
    aiClients: (stateDirectory) => openAiClients({ configFile, mcpStdio, env }, stateDirectory),
  };
}
