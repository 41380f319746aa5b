// `portico approvals show`: a whole ticket, for the person who decides on it.
import { type ApprovalTicket, argumentLines, changeLines, exactJsonLines, type JsonValue } from '@portico/contracts';
import type { Command } from 'commander';
import { addCommand, type Shell } from '../command.js';
import { isObject } from '../is-object.js';
import { showFields } from '../output/describe.js';
import type { Output } from '../output/output.js';
import { showData } from '../output/show-result.js';
import { durationText } from './grant-flags.js';

export function addApprovalShow(group: Command, shell: Shell): void {
  addCommand<[string]>(group, shell, {
    usage: 'show <id>',
    ids: ['approval'],
    summary: 'Show a ticket, its arguments, and the result of its call, if it has run',
    examples: ['approvals show appr-1790000000-1'],
    async run({ client, output }, [id]) {
      const answer = await client.getApproval(id);
      output.answer(answer, () => {
        showTicket(output, answer.approval);
        const { result } = answer.approval;
        if (result !== undefined) showOutcome(output, result);
      });
      return undefined;
    },
  });
}

/** The arguments of the first level, on one line. */
export function argumentsInLine(view: ApprovalTicket['view']): string {
  const top = view.arguments.entries.filter(({ depth }) => depth === 0).map(({ key, value }) => `${key}: ${value}`);
  return top.length === 0 ? '(no arguments)' : top.join(', ');
}

export function showTicket(output: Output, ticket: Omit<ApprovalTicket, 'result'>): void {
  const { status, ...rest } = ticket;
  showFields(output, {
    id: rest.id,
    status: status.status,
    capability: rest.capability_id,
    created: output.time(rest.created_at),
    expires: output.time(rest.expires_at),
    'decided by': status.decided_by ?? status.operator,
    reason: status.reason,
    request: rest.request_id,
    definition: rest.view.definition_digest,
    description: rest.view.description,
    changes: changeLines(rest.view).join('\n'),
    arguments: argumentLines(rest.view.arguments).join('\n'),
    'arguments as approved': status.modified_args && exactJsonLines(status.modified_args),
  });
  const { grant_offer: offer } = rest;
  if (offer !== undefined) {
    const most = `--for ${durationText(offer.max_ttl_secs)} --uses ${offer.max_uses}`;
    output.note(`"portico approvals approve ${rest.id} ${most}" keeps the approval for later calls, for at most that`);
  }
  if (!rest.view.arguments.complete) output.note('not all of the arguments is shown; --json has them as they are');
}

/** Result or error of the call, under what was said of it before. */
export function showOutcome(output: Output, envelope: object): void {
  const { data, error } = envelope as { data?: JsonValue; error?: JsonValue }; // an envelope, as the service keeps it
  output.painted(output.paint.bold('result'));
  if (isObject(error)) output.line(`${error.code}: ${error.message}`);
  else showData(output, data ?? null);
}
