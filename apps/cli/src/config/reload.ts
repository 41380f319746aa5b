// `portico config reload`: has the daemon read its file again.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

export function addReload(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'reload',
    summary: 'Have the daemon read its configuration file again',
    examples: ['config reload'],
    async run({ client, output }) {
      const answer = await client.reloadConfig();
      output.answer(answer, () => {
        for (const what of ['mounted', 'unmounted', 'updated', 'unchanged'] as const) {
          if (answer[what].length > 0) output.line(`${what}: ${answer[what].join(', ')}`);
        }
      });
      if (answer.needs_restart.length > 0) output.note(`from the next start on: ${answer.needs_restart.join(', ')}`);
      return undefined;
    },
  });
}
