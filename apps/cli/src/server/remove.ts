// `portico server remove`.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

export function addServerRemove(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'remove <id>',
    ids: ['server'],
    summary: 'Remove a server; profiles that named it lose it',
    examples: ['server remove notes'],
    reach: 'state',
    async run({ client, output }, [id]) {
      const clear = output.progress(`removing ${id}`);
      const answer = await client.deleteServer(id).finally(clear);
      output.answer(answer, () => output.line(`${id}: removed`));
      return undefined;
    },
  });
}
