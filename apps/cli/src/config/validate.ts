// `portico validate`: whether a configuration file can be used. Contacts nobody.
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { addOfflineCommand, type Shell } from '../command.js';
import { defaultConfigFile } from '../connection-options.js';
import { exitCodes } from '../failures.js';
import { count } from '../output/describe.js';

export function addValidate(program: Command, shell: Shell): void {
  addOfflineCommand<[string | undefined]>(program, shell, {
    usage: 'validate [file]',
    summary: 'Check a configuration file without starting anything',
    examples: ['validate', 'validate mcp_servers.json --json'],
    flags: (command) => command.option('--config <file>', 'the same as the argument (default: mcp_servers.json)'),
    async run(output, [file], { config = defaultConfigFile }) {
      const { ConfigError, loadConfig } = await import('@portico/host');
      const path = resolve(file ?? config);
      try {
        const loaded = await loadConfig(path);
        const unknown_fields = loaded.unknownFields;
        const servers = [...loaded.config.servers.keys()];
        output.answer({ ok: true, path, servers, unknown_fields, issues: [] }, () => {
          output.line(`${path}: valid, ${count(servers.length, 'server')}`);
        });
        for (const field of unknown_fields) output.note(`${field}: no field of Portico; it has no effect`);
        return exitCodes.ok;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        if (output.isJson) output.json({ ok: false, path, issues: error.issues });
        output.note(error.message);
        return exitCodes.usage; // as a daemon with that file
      }
    },
  });
}
