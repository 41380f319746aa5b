// The daemon's command line. A wrong flag is said on stderr and exits with 2.
import { isIP } from 'node:net';
import { isLogThreshold, type LogThreshold, logLevels, version } from '@portico/host';
import { Command, InvalidArgumentError } from 'commander';

export interface Flags {
  readonly configFile: string;
  readonly stateDir?: string;
  readonly port?: number;
  readonly bind: string;
  readonly logLevel: LogThreshold;
}

export function parseFlags(argv: readonly string[]): Flags {
  const command = new Command('portico-daemon')
    .description('Serve MCP servers through one HTTP facade.')
    .version(version)
    .option('--config <file>', 'configuration file', 'mcp_servers.json')
    .option('--state-dir <dir>', 'where state is kept (default: one per configuration under the user state directory)')
    .option('--port <n>', 'port to listen on, 0 for any free one (default: the configured one, else 9090)', toPort)
    .option('--bind <address>', 'address to bind to; beyond loopback needs an authToken', toAddress, '127.0.0.1')
    .option('--log-level <level>', `one of ${logLevels.join(', ')} (default: RUST_LOG, else info)`, toLevel)
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .parse([...argv], { from: 'user' });
  const { config, stateDir, port, bind, logLevel } = command.opts();
  return {
    configFile: config,
    bind,
    logLevel: logLevel ?? levelFromEnvironment(process.env.RUST_LOG),
    ...(stateDir === undefined ? {} : { stateDir }),
    ...(port === undefined ? {} : { port }),
  };
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError('expected a whole number from 0 to 65535');
  return port;
}

function toAddress(text: string): string {
  if (isIP(text) === 0 && text !== 'localhost') throw new InvalidArgumentError('expected an IP address or localhost');
  return text;
}

function toLevel(text: string): LogThreshold {
  if (!isLogThreshold(text)) throw new InvalidArgumentError(`expected one of ${logLevels.join(', ')}`);
  return text;
}

/** RUST_LOG may hold filters meant for other programs; only a plain level is taken from it. */
function levelFromEnvironment(text: string | undefined): LogThreshold {
  return text !== undefined && isLogThreshold(text) ? text : 'info';
}
