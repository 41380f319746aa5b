// `portico describe`: one capability with its arguments.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { showFields } from '../output/describe.js';
import { toPlainBlock } from '../output/plain-text.js';
import { argumentRows } from './argument-rows.js';

export function addDescribe(program: Command, shell: Shell): void {
  addCommand<[string]>(program, shell, {
    usage: 'describe <id>',
    ids: ['capability'],
    hasTable: true,
    summary: 'Show one capability: what it does and which arguments it takes',
    examples: ['describe everything.get-sum', 'describe everything.get-sum --json'],
    async run({ client, output }, [id]) {
      const answer = await client.describeCapability(id);
      const { description, server, tool, tags, input_schema, title } = answer.capability;
      output.answer(answer, () => {
        showFields(output, { id: answer.capability.id, title, server, tool, tags: tags?.join(', ') });
        output.painted(`\n${toPlainBlock(description)}\n`);
        const rows = argumentRows(input_schema);
        const columns = [
          { heading: 'ARGUMENT', cell: (row: (typeof rows)[number]) => row.name },
          { heading: 'TYPE', cell: (row: (typeof rows)[number]) => row.type },
          { heading: 'REQUIRED', cell: (row: (typeof rows)[number]) => (row.isRequired ? 'yes' : 'no'), value: 1 },
          { heading: 'DESCRIPTION', cell: (row: (typeof rows)[number]) => row.description },
        ];
        output.table(columns, rows, 'no arguments');
      });
      return undefined;
    },
  });
}
