// `portico init`: writes a first configuration from the servers that the user's AI clients have already.

import { localConfigFile } from '@portico/host/place';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommonOptions, Shell } from './command.js';
import { Interrupted } from './end-as.js';
import { exitCodes } from './failures.js';
import type { InitOptions } from './init/run-init.js';
import { untilStopped } from './until-stopped.js';

const useless = ['json', 'url', 'token', 'stateDir', 'profile'] as const satisfies readonly (keyof CommonOptions)[];

/** Exits with 0 when the file is written, 1 when it is not, 2 for flags that do not go together. */
export function addInit(program: Command, { finish, stopped }: Shell): void {
  program
    .command('init')
    .description('Write a first configuration from the servers that AI clients have')
    .option('--yes', 'ask nothing and take the defaults')
    .option('--from <client...>', 'take servers of these clients only')
    .option('--output <file>', `where to write (default: --config, or ${localConfigFile})`)
    .option('--port <n>', 'port of the daemon', toPort, 9090)
    .option('--empty', 'start without servers')
    .option('--force', 'replace an existing file')
    .option('--move', 'put the servers of the AI clients that are attached behind Portico, without a question')
    .option('--no-move', 'leave the servers of AI clients as they are, without a question')
    .exitOverride()
    .addHelpText(
      'after',
      '\nExamples:\n  portico init\n  portico init --yes --from cursor claude-code --output portico.json',
    )
    .action(async ({ output, ...options }: Omit<InitOptions, 'output'> & Partial<InitOptions>, command: Command) => {
      const before = program.opts<CommonOptions>();
      const unused = useless.find((name) => before[name] !== undefined);
      if (unused !== undefined)
        command.error(`error: init has no use for --${unused.replace('stateDir', 'state-dir')}`);
      const { runInit } = await import('./init/run-init.js');
      const run = () => runInit({ ...options, output: output ?? before.config ?? localConfigFile }, stopped);
      finish(await untilStopped(run, stopped).catch((error: unknown) => endOf(error, stopped)));
    });
}

function endOf(error: unknown, { aborted, reason }: AbortSignal): number {
  if (!aborted) throw error;
  return reason instanceof Interrupted ? exitCodes.interrupted : exitCodes.ok;
}

function toPort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535) {
    throw new InvalidArgumentError('expected a whole number from 1 to 65535');
  }
  return port;
}
