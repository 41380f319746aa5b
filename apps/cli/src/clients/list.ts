// `portico clients list`.
import type { AiClient } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

export function addClientList(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List AI clients, whether they are there and attached',
    examples: ['clients list', 'clients list --json'],
    reach: 'state',
    async run({ client, output }) {
      const answer = await client.listClients();
      const columns = [
        { heading: 'ID', cell: ({ id }: AiClient) => id },
        { heading: 'NAME', cell: ({ name }: AiClient) => name },
        { heading: 'FOUND', cell: ({ detected }: AiClient) => (detected ? 'yes' : 'no') },
        { heading: 'ATTACHED', cell: ({ attached }: AiClient) => (attached ? 'yes' : 'no') },
        { heading: 'FILE', cell: ({ path }: AiClient) => path },
      ];
      output.answer(answer, () => output.table(columns, answer.clients, 'no AI clients'));
      return undefined;
    },
  });
}
