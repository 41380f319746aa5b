// The MCP HTTP listener from its flags to its end, inside a process that lives on: it takes no signals and never exits.
import { type Flags, type HostOptions, listen, serveUntil } from '@portico/host';

export interface ServeMcpHttpOptions
  extends Pick<HostOptions, 'env' | 'forgetsSecrets' | 'logDestination' | 'ownsProcess'>,
    Partial<Flags> {
  readonly configFile: string;
  /** Called with the address of its endpoint once it accepts connections. */
  readonly onReady?: (url: string) => void;
}

/**
 * Serves until `stopped` resolves, then closes everything.
 * @param stopped resolves with the reason to stop, for the log
 * @throws ConfigError, EnvironmentError, StateDirectoryError, StorageError, AuditFileError, ListenError
 */
export function serveMcpHttp(
  stopped: Promise<string>,
  { port, bind, profile, onReady, ...options }: ServeMcpHttpOptions,
): Promise<void> {
  const overrides = {
    ...(port === undefined ? {} : { port }),
    ...(bind === undefined ? {} : { bind }),
    ...(profile === undefined ? {} : { profile }),
  };
  return serveUntil(
    stopped,
    { ...options, bind: '127.0.0.1' },
    async (host) => {
      const mcp = await host.openMcpListener(overrides);
      return [await listen(mcp, host.log, mcp.bind, mcp.port)];
    },
    ([url]) => onReady?.(`${url}/mcp`),
  );
}
