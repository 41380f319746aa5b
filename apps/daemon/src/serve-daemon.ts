// The daemon from its flags to its end, inside a process that lives on: it takes no signals and never exits.
import { fileURLToPath } from 'node:url';
import {
  type Flags,
  type Host,
  type HostOptions,
  type Listening,
  listen,
  type OwnCommand,
  serveUntil,
} from '@portico/host';

export interface DaemonUrls {
  /** Base address of the HTTP facade. */
  readonly api: string;
  /** Endpoint of the MCP listener, where the configuration has one. */
  readonly mcp: string | undefined;
  /** Access without a role, a sentence for each rule in force. */
  readonly accessRules: readonly string[];
  /** Makes the address that opens the console: once and for a while, where administration needs a token. */
  readonly consoleUrl: () => string;
}

export interface ServeDaemonOptions
  extends Pick<HostOptions, 'env' | 'forgetsSecrets' | 'logDestination' | 'ownsProcess'>,
    Partial<Flags> {
  readonly configFile: string;
  /** The command in configurations of AI clients, without its flags; by default that of `@portico/mcp-stdio`. */
  readonly mcpStdio?: OwnCommand;
  /** Called once it accepts connections. */
  readonly onReady?: (urls: DaemonUrls) => void;
}

/**
 * Serves until `stopped` resolves, then closes everything.
 * @param stopped resolves with the reason to stop, for the log
 * @throws ConfigError, EnvironmentError, StateDirectoryError, StorageError, AuditFileError, ListenError
 */
export function serveDaemon(
  stopped: Promise<string>,
  { bind = '127.0.0.1', port, mcpStdio = ownMcpStdio(), onReady, ...options }: ServeDaemonOptions,
): Promise<void> {
  let opened: Host | undefined;
  const openSockets = async (host: Host): Promise<readonly Listening[]> => {
    opened = host;
    const api = await listen(host, host.log, bind, port ?? host.config.port);
    await host.announce(api.url);
    if (host.config.mcpHttpServer === null) return [api];
    const mcp = await host.openMcpListener();
    return [api, await listen(mcp, host.log, mcp.bind, mcp.port)];
  };
  return serveUntil(stopped, { ...options, bind, mcpStdio }, openSockets, ([api = '', mcp]) =>
    onReady?.({
      api,
      mcp: mcp === undefined ? undefined : `${mcp}/mcp`,
      accessRules: opened?.accessRules() ?? [],
      consoleUrl: () => consoleUrl(api, opened?.issueConsoleCode() ?? null),
    }),
  );
}

/** By absolute paths: a client that is started from a desktop finds no program by its name. */
function ownMcpStdio(): OwnCommand {
  return [process.execPath, fileURLToPath(new URL('./main.js', import.meta.resolve('@portico/mcp-stdio')))];
}

/** A browser never sends the part behind the #. */
function consoleUrl(api: string, code: string | null): string {
  return code === null ? `${api}/ui` : `${api}/ui#code=${code}`;
}
