// `portico server restart`.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

export function addServerRestart(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'restart <id>',
    ids: ['server'],
    summary: 'End the process and session of a server, and start it again',
    examples: ['server restart tracker'],
    async run({ client, output }, [id]) {
      const clear = output.progress(`restarting ${id}`);
      const answer = await client.restartServer(id).finally(clear);
      output.answer(answer, () => output.line(`${id}: ${answer.status}`));
      return undefined;
    },
  });
}
