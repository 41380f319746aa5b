// `portico events`: changes of the catalog and of resources, those that were and those that come.
import type { CatalogEvent } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';

interface Options {
  readonly after?: string;
  readonly follow?: true;
}

export function addEvents(program: Command, shell: Shell): void {
  addCommand<[], Options>(program, shell, {
    usage: 'events',
    hasTable: true,
    summary: 'Show additions, removals and updates of the catalog; --follow shows new ones',
    examples: ['events', 'events --after 4f0c… --json', 'events --follow --json'],
    flags: (command) =>
      command
        .option('--after <cursor>', 'only events after this cursor of an earlier answer')
        .option('-f, --follow', 'show changes as they happen, until Ctrl-C; --json prints a line each'),
    async run({ client, output, stopped }, _args, { after, follow }) {
      if (follow === true) {
        for await (const message of client.streamUpdates({ signal: stopped })) {
          output.item(message, () => `${message.event} ${JSON.stringify(message.data)}`);
        }
        return undefined;
      }
      const answer = await client.listCatalogEvents({ after });
      const columns = [
        { heading: 'TIME', time: ({ timestamp }: CatalogEvent) => timestamp, value: 2 },
        { heading: 'CHANGE', cell: ({ change_type }: CatalogEvent) => change_type },
        { heading: 'KIND', cell: ({ object_type }: CatalogEvent) => object_type, value: 1 },
        { heading: 'ID', cell: ({ object_id }: CatalogEvent) => object_id, isId: true },
      ];
      output.answer(answer, () => output.table(columns, answer.events, 'no changes'));
      return undefined;
    },
  });
}
