// `portico approvals list`.
import { type Command, Option } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { addPageFlags, type PageOptions } from '../input/page.js';
import { argumentsInLine } from './show.js';

interface Options extends PageOptions {
  readonly status?: string;
}

export function addApprovalList(group: Command, shell: Shell): void {
  addCommand<[], Options>(group, shell, {
    usage: 'list',
    hasTable: true,
    summary: 'List tickets, newest first',
    examples: ['approvals list --status pending', 'approvals list --json'],
    flags: (command) =>
      addPageFlags(command).addOption(
        new Option('--status <status>', 'only these').choices(['pending', 'approved', 'rejected', 'expired']),
      ),
    async run({ client, output }, _args, { status, limit, offset }) {
      const answer = await client.listApprovals({ status, limit, offset });
      type Ticket = (typeof answer.approvals)[number];
      const columns = [
        { heading: 'ID', cell: ({ id }: Ticket) => id },
        { heading: 'STATUS', cell: (ticket: Ticket) => ticket.status.status, value: 2 },
        { heading: 'CAPABILITY', cell: ({ capability_id }: Ticket) => capability_id, isId: true },
        { heading: 'CLIENT', cell: ({ client }: Ticket) => client?.name, value: 0.5 },
        { heading: 'CHANNEL', cell: ({ channel }: Ticket) => channel, value: 0.25 },
        { heading: 'CREATED', time: ({ created_at }: Ticket) => created_at, value: 1 },
        { heading: 'EXPIRES', time: ({ expires_at }: Ticket) => expires_at, value: 3 },
        { heading: 'ARGUMENTS', cell: ({ view }: Ticket) => argumentsInLine(view) },
      ];
      output.answer(answer, () => output.table(columns, answer.approvals, 'no tickets'));
      return undefined;
    },
  });
}
