// `portico config show`: the file in force with its defaults, secrets masked.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

export function addConfigShow(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'show',
    summary: 'Show the configuration in force, with defaults, secrets masked',
    examples: ['config show', 'config show --json | jq .config_path'],
    reach: 'state',
    async run({ client, output }) {
      const answer = await client.getConfig();
      output.answer(answer, () => {
        output.line(`// ${answer.config_path}`);
        output.line(JSON.stringify(answer.config, null, 2));
      });
      for (const { path, message } of answer.file_issues)
        output.note(`not in force until it is corrected: ${path}: ${message}`);
      return undefined;
    },
  });
}
