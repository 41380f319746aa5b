// The AI clients of the user whose process this is, and what they run to reach this configuration.
import { join, resolve } from 'node:path';
import { createAiClients, type Place } from '@portico/config-host';
import { maskSecrets } from '@portico/contracts';
import type { AiClients } from '@portico/control-plane';
import { homeOf } from './home-of.js';
import { systemClock } from './system-clock.js';

/** A program and its first arguments. */
export type OwnCommand = readonly [string, ...string[]];

export interface AiClientsPlace {
  /** Absolute. */
  readonly configFile: string;
  /** As it was named; undefined where it was not. */
  readonly stateDir?: string | undefined;
  readonly mcpStdio?: OwnCommand | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A state directory that was named is named to the client's process too, which joins this service by it. */
export function openAiClients(options: AiClientsPlace, stateDirectory: string): AiClients {
  const { configFile, stateDir, mcpStdio = ['portico', 'mcp-stdio'], env } = options;
  const [command, ...first] = mcpStdio;
  const state = stateDir === undefined ? [] : ['--state-dir', resolve(stateDir)];
  return createAiClients({
    place: { platform: platformOf(process.platform), home: homeOf(env), env },
    backupFolder: join(stateDirectory, 'client-backups'),
    serve: { command, args: [...first, '--config', configFile, ...state] },
    epochMs: systemClock.epochMs,
    mask: maskSecrets,
  });
}

/** Other systems keep their files where Linux does. */
function platformOf(platform: NodeJS.Platform): Place['platform'] {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux';
}
