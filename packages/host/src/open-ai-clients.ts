// The AI clients of the user whose process this is, and what they run to reach this configuration.
import { join, resolve } from 'node:path';
import { createAiClients, type UserEnvironment } from '@portico/config-host';
import { maskSecrets } from '@portico/contracts';
import type { AiClients } from '@portico/control-plane';
import { homeOf } from './home-of.js';
import { systemClock } from './system-clock.js';

/** A program and its first arguments. */
export type OwnCommand = readonly [string, ...string[]];

export interface AiClientsPlace {
  /** Absolute. */
  readonly configFile: string;
  readonly mcpStdio?: OwnCommand | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The state directory is named to the client's process too, which joins this service by it: with another HOME or
 * XDG_STATE_HOME it would take another for its own, and be a service of its own.
 */
export function openAiClients(options: AiClientsPlace, stateDirectory: string): AiClients {
  const { configFile, mcpStdio = ['portico', 'mcp-stdio'], env } = options;
  const [command, ...first] = mcpStdio;
  return createAiClients({
    user: { platform: platformOf(process.platform), home: homeOf(env), env },
    backupFolder: join(stateDirectory, 'client-backups'),
    serve: { command, args: [...first, '--config', configFile, '--state-dir', resolve(stateDirectory)] },
    epochMs: systemClock.epochMs,
    mask: maskSecrets,
  });
}

/** Other systems keep their files where Linux does. */
function platformOf(platform: NodeJS.Platform): UserEnvironment['platform'] {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}
