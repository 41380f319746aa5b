// `portico audit key`: the public keys that verify the signed checkpoints of a daemon's log. Reads a file of its state
// directory, without a daemon.
import type { Command } from 'commander';
import { addOfflineCommand, type Shell } from '../command.js';
import { namedConfigFile } from '../connection-options.js';
import { exitCodes } from '../failures.js';

interface Options {
  readonly config?: string;
  readonly stateDir?: string;
  readonly all?: true;
}

export function addAuditKey(group: Command, shell: Shell): void {
  addOfflineCommand<[], Options>(group, shell, {
    usage: 'key',
    summary: 'Print the public key that verifies signed checkpoints, as PEM',
    examples: ['audit key > portico-audit.pem', 'audit key --all'],
    flags: (command) =>
      command
        .option('--config <file>', 'configuration file (default: mcp_servers.json)')
        .option('--state-dir <dir>', 'state directory (default: the one of the configuration file)')
        .option('--all', 'also earlier keys, newest first'),
    async run(output, _args, { config: given, stateDir, all }) {
      const { readPublicKeys, stateDirectoryOf } = await import('@portico/host');
      const config = namedConfigFile({ config: given });
      const directory = stateDirectoryOf({ configFile: config, stateDir, env: process.env });
      const known = await readPublicKeys(directory);
      const keys = all === true ? known : known.slice(0, 1);
      if (keys.length === 0) {
        output.note(
          `${directory} has no key yet: the daemon makes one when it signs the first checkpoint of a log in a file or in PostgreSQL`,
        );
        return exitCodes.failed;
      }
      const shown = keys.map(({ id, pem }) => ({ id, pem }));
      output.answer({ keys: shown }, () => output.line(shown.map(({ pem }) => pem.trimEnd()).join('\n')));
      return exitCodes.ok;
    },
  });
}
