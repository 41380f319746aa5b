// The command lines of the processes that serve. A wrong flag is said on stderr and exits with 2.
import { isIP } from 'node:net';
import { isLogThreshold, type LogThreshold, logLevels } from '@portico/telemetry';
import { Command, InvalidArgumentError } from 'commander';
import { configFileByDefault } from './user-places.js';
import { version } from './version.js';

export interface Program {
  readonly name: string;
  readonly description: string;
  /** Beside `--config`, `--state-dir` and `--log-level`: the flag's description by its name. */
  readonly flags?: { readonly port?: string; readonly bind?: string; readonly profile?: string };
}

export interface Flags {
  readonly configFile: string;
  readonly stateDir?: string;
  readonly port?: number;
  readonly bind?: string;
  readonly profile?: string;
  readonly logLevel: LogThreshold;
}

/**
 * Parses the flags of a Portico program; prints help or a mistake and exits with 0 or 2.
 * @param argv arguments behind the program's name
 */
export function parseFlags({ name, description, flags = {} }: Program, argv: readonly string[]): Flags {
  const command = new Command(name)
    .description(description)
    .version(version)
    .option('--config <file>', 'configuration file (default: mcp_servers.json here, else in ~/.config/portico)')
    .option('--state-dir <dir>', 'where state is kept (default: one per configuration under the user state directory)')
    .option('--log-level <level>', `one of ${logLevels.join(', ')} (default: RUST_LOG, else info)`, toLevel)
    .allowExcessArguments(false)
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2));
  if (flags.port !== undefined) command.option('--port <n>', flags.port, toPort);
  if (flags.bind !== undefined) command.option('--bind <address>', flags.bind, toAddress);
  if (flags.profile !== undefined) command.option('--profile <id>', flags.profile);
  const { config, logLevel, ...given } = command.parse([...argv], { from: 'user' }).opts();
  return {
    ...given,
    configFile: config ?? configFileByDefault(process.env),
    logLevel: logLevel ?? levelFromEnvironment(process.env.RUST_LOG),
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
