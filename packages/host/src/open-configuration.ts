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
  /** Absolute; undefined if there is none. */
  readonly file: string | undefined;
  /** The base of relative paths in it. Absolute. */
  readonly directory: string;
  /** The place of the state without a configured one; `remove` if it is deleted with the host. */
  ownStateDir(): Promise<{ readonly path: string; readonly remove?: () => Promise<void> }>;
  /** Undefined without a file to attach clients to. */
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
