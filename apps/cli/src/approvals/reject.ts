// `portico approvals reject`.
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { addOperatorFlag, type OperatorOptions, operatorOf } from './operator.js';
import { showTicket } from './show.js';

interface Options extends OperatorOptions {
  readonly reason?: string;
}

export function addReject(group: Command, shell: Shell): void {
  addCommand<[string], Options>(group, shell, {
    usage: 'reject <id>',
    ids: ['approval'],
    summary: 'Reject a ticket: its call never runs',
    examples: ['approvals reject appr-1790000000-1 --reason "not on a Friday"'],
    flags: (command) => addOperatorFlag(command).option('--reason <text>', 'reason that the caller receives'),
    async run({ client, output }, [id], options) {
      const answer = await client.reject(id, { operator: operatorOf(options), reason: options.reason ?? null });
      output.answer(answer, () => showTicket(output, answer.approval));
      return undefined;
    },
  });
}
