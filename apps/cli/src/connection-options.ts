// The connection options of a command, and how it finds the service.
import { resolve } from 'node:path';
import type { ApiClient } from '@portico/client';
import { configFileByDefault } from '@portico/host/place';

/** As the flags of every command. */
export interface ConnectionOptions {
  /** Address of the daemon; PORTICO_URL by default. */
  readonly url?: string | undefined;
  /** PORTICO_TOKEN by default. */
  readonly token?: string | undefined;
  /** Configuration file; mcp_servers.json in the working directory by default, else that of the user. */
  readonly config?: string | undefined;
  readonly stateDir?: string | undefined;
  readonly profile?: string | undefined;
  /**
   * Whether a host of its own will do: `never` (the default); `fallback` where nothing has the state directory, with no
   * server started, or with all of them under way (`fallback-started`); `always`, with all of them started and settled.
   */
  readonly inProcess?: 'never' | 'fallback' | 'fallback-started' | 'always' | undefined;
  /** Ends the opening. */
  readonly stopped?: AbortSignal | undefined;
}

export interface Connection {
  readonly client: ApiClient;
  /** Null for a host of this process. */
  readonly url: string | null;
  close(): Promise<void>;
}

/** As messages name it: what was given, else that of the working directory or of the user. */
export function namedConfigFile({ config }: Pick<ConnectionOptions, 'config'>): string {
  return config ?? configFileByDefault(process.env);
}

export function configFileOf(options: Pick<ConnectionOptions, 'config'>): string {
  return resolve(namedConfigFile(options));
}
