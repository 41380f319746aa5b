// `portico clients list`.
import type { AiClient } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { nextStep, sayDirect } from './direct.js';

export function addClientList(group: Command, shell: Shell): void {
  addCommand<[]>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List AI clients: whether they are installed and attached, and how many servers they reach past Portico',
    examples: ['clients list', 'clients list --json'],
    reach: 'state',
    async run({ client, output }) {
      const answer = await client.listClients();
      const columns = [
        { heading: 'ID', cell: ({ id }: AiClient) => id },
        { heading: 'NAME', cell: ({ name }: AiClient) => name },
        { heading: 'FOUND', cell: ({ detected }: AiClient) => (detected ? 'yes' : 'no') },
        { heading: 'ATTACHED', cell: ({ attached }: AiClient) => (attached ? 'yes' : 'no') },
        { heading: 'DIRECT', cell: (seen: AiClient) => String(directOf(seen).length) },
        { heading: 'FILE', cell: ({ path }: AiClient) => path },
      ];
      output.answer(answer, () => {
        output.table(columns, answer.clients, 'no AI clients');
        for (const seen of answer.clients) {
          if (!seen.attached || directOf(seen).length === 0) continue;
          const next = nextStep(seen);
          output.note(`${sayDirect(seen)}${next === undefined ? '' : `; next: ${next}`}`);
        }
      });
      return undefined;
    },
  });
}

/** An older daemon does not say. */
function directOf({ direct_servers }: Partial<Pick<AiClient, 'direct_servers'>>): AiClient['direct_servers'] {
  return direct_servers ?? [];
}
