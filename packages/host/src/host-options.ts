// Options of a host: a configuration file, or a configuration in code, and settings with a default.
import type { ConfigInput } from '@portico/contracts';
import type { LogDestination, LogThreshold } from '@portico/telemetry';
import type { UpstreamConnector } from '@portico/upstream-pool';
import type { OwnCommand } from './open-ai-clients.js';

export type Tenure = 'owner' | 'interim';

interface CommonOptions {
  /** Where state is kept. */
  readonly stateDir?: string;
  /** Address the facade will be bound to, 127.0.0.1 by default. Beyond loopback the configuration needs `rbac` or an `authToken`. */
  readonly bind?: string;
  /** Lines from this level up are written; `warn` by default. */
  readonly logLevel?: LogThreshold;
  /** Receives the log, one JSON object with its line break a time; stderr by default. */
  readonly logDestination?: LogDestination;
  /** Whether the facade serves the web console, which is loaded when a browser first asks for it; true by default. */
  readonly webConsole?: boolean;
  /**
   * Servers whose sessions this program opens itself, by id, such as tools that are functions of it. Each needs an entry in
   * `mcpServers` for its policy, lifecycle and limits; the command or address of that entry is not used.
   */
  readonly connectors?: Readonly<Record<string, UpstreamConnector>>;
  /** Whether the process is there for this host only, so that a watchdog may end it (`limits.maxStallMs`); false by default. */
  readonly ownsProcess?: boolean;
  /**
   * How the state directory is held: by `owner`, who is handed it by an `interim` holder, which gives it to an owner that
   * asks on the service socket. By default it is neither asked for nor given.
   */
  readonly tenure?: Tenure;
  /** The environment: secrets named by the configuration, and what children inherit. That of the process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether variables that the configuration takes secrets from are deleted from `process.env`, now and when it changes;
   * false by default. `env` has to be a copy of it then.
   */
  readonly forgetsSecrets?: boolean;
}

export interface FileHostOptions extends CommonOptions {
  /** Configuration file; relative to the working directory. State is kept in a directory of its own for it by default. */
  readonly configFile: string;
  readonly config?: undefined;
  /** The command of AI clients, before `--config`; `portico mcp-stdio` by default. */
  readonly mcpStdio?: OwnCommand;
}

export interface ObjectHostOptions extends CommonOptions {
  /**
   * The content that the file would have. Changes while the host runs are made in memory and end with it; relative
   * paths start at the working directory; AI clients are not known, since there is no file to attach them to. State is
   * kept in a temporary directory by default, which is removed when the host is closed.
   */
  readonly config: ConfigInput;
  readonly configFile?: undefined;
}

export type HostOptions = FileHostOptions | ObjectHostOptions;
