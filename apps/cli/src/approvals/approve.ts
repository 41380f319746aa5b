// `portico approvals approve`: runs the call of a ticket, with other arguments where they are given.
import type { Command } from 'commander';
import { addCommand, type Session, type Shell } from '../command.js';
import { exitCodes } from '../failures.js';
import { findInputSchema, readArguments } from '../input/json-arguments.js';
import { addGrantFlags, type GrantFlags, grantOf } from './grant-flags.js';
import { addOperatorFlag, type OperatorOptions, operatorOf } from './operator.js';
import { showOutcome, showTicket } from './show.js';

async function schemaOf(client: Session['client'], ticket: string) {
  return findInputSchema(client, (await client.getApproval(ticket)).approval.capability_id);
}

interface Options extends OperatorOptions, GrantFlags {
  readonly argsFile?: string;
  readonly definition?: string;
}

export function addApprove(group: Command, shell: Shell): void {
  addCommand<[string, string[]], Options>(group, shell, {
    usage: 'approve <id> [args...]',
    ids: ['approval'],
    summary: 'Approve a ticket and run its call; arguments given here replace all of its own',
    examples: [
      'approvals approve appr-1790000000-1',
      'approvals approve appr-1790000000-1 \'{"entityNames": ["Ada"]}\' --operator ann',
      'approvals approve appr-1790000000-1 --for 8h --uses 20 --keep /repo',
    ],
    flags: (command) =>
      addGrantFlags(addOperatorFlag(command))
        .option('--args-file <file>', 'a JSON object with arguments; - reads stdin')
        .option('--definition <digest>', 'approve only this definition, as "approvals show" names it'),
    async run({ client, output, stopped }, [id, words], options) {
      const grant = grantOf(options);
      const isEdited = words.length > 0 || options.argsFile !== undefined;
      const modified = isEdited
        ? await readArguments(words, options.argsFile, stopped, () => schemaOf(client, id))
        : undefined;
      const clear = output.progress(`running the call of ${id}`);
      const answer = await client
        .approve(id, {
          operator: operatorOf(options),
          definition_digest: options.definition,
          ...(modified === undefined ? {} : { modified_args: modified }),
          ...(grant === undefined ? {} : { grant }),
        })
        .finally(clear);
      output.answer(answer, () => {
        showTicket(output, answer.approval);
        if (answer.result !== null) showOutcome(output, answer.result);
      });
      if (answer.grant_id !== undefined)
        output.note(`kept as ${answer.grant_id}; "portico grants revoke ${answer.grant_id}" ends it`);
      if (answer.result === null)
        output.note(`the call still runs; "portico approvals show ${id}" has its result then`);
      return answer.result?.ok === false ? exitCodes.failed : exitCodes.ok;
    },
  });
}
