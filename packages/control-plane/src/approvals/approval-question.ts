// The question of a gated call to a client that can show its user a form, and what the answer decides. It offers an
// approval only where it shows everything: what finds no room is decided in the console or the terminal.
import { type ApprovalView, argumentLines, changeLines, isJsonObject, type JsonObject } from '@portico/contracts';
import { type Redactor, type ShowLimits, type TicketDecision, visibleJson } from '@portico/policy-engine';
import type { ServerRequest } from '@portico/upstream-pool';
import { choiceFields, chosenGrant, type GrantChoices } from './grant-choices.js';
import type { GrantRequest } from './grant-offer.js';
import type { Ticket } from './ticket.js';
import { toApprovalView } from './ticket-view.js';

/** The one question's key among the questions of an interim answer. */
export const approvalKey = 'approval';

/** Characters of a message: clients show a form, not a document. */
const maxMessage = 4000;
const maxCapability = 1000;

const roomy: ShowLimits = { valueLength: maxMessage, keyLength: maxMessage, entries: 200, totalLength: maxMessage };
/** Where not everything fits, every value is cut, so that the names of the others are seen. */
const tight: ShowLimits = { valueLength: 120, keyLength: 80, entries: 100, totalLength: 2400 };

export interface ApprovalQuestion {
  readonly request: ServerRequest & { readonly params: JsonObject };
  /** Whether an approval counts: everything was shown. */
  readonly isApprovable: boolean;
  /** Digest of the definition that it asks about. */
  readonly definition: string | null;
  /** The ways to keep an approval that it offers; undefined for none. */
  readonly choices: GrantChoices | undefined;
}

/** The decision of a user, and the grant that they keep it as. */
export interface UserDecision {
  readonly decision: TicketDecision;
  readonly grant?: GrantRequest;
}

/**
 * Shows what is to be run, each value by itself; redacted ones by their keys.
 * @param offered the ways to keep an approval, if there are any
 */
export function approvalQuestion(ticket: Ticket, redactor: Redactor, offered?: GrantChoices): ApprovalQuestion {
  const whole = toApprovalView(ticket, redactor, roomy);
  const message = [titleOf(ticket), ...linesOf(whole)].join('\n');
  const isApprovable =
    whole.arguments.complete &&
    whole.changes_complete &&
    ticket.capabilityId.length <= maxCapability &&
    message.length <= maxMessage;
  const shown = isApprovable ? message : cutMessage(ticket, toApprovalView(ticket, redactor, tight));
  const choices = isApprovable ? offered : undefined;
  return {
    request: toRequest(shown, isApprovable, choices),
    isApprovable,
    definition: whole.definition_digest,
    choices,
  };
}

function titleOf({ capabilityId, id }: Ticket): string {
  const name = visibleJson(capabilityId.slice(0, maxCapability));
  return `${name}${capabilityId.length > maxCapability ? '…' : ''} needs your approval (${id}).`;
}

function linesOf(view: ApprovalView): readonly string[] {
  const args = argumentLines(view.arguments).map((line) => `  ${line}`);
  return [...changeLines(view), 'Arguments:', ...args];
}

/** The lines that fit, then how many do not, and where everything is shown. */
function cutMessage(ticket: Ticket, view: ApprovalView): string {
  const where =
    `It is too large to be shown here as a whole, so it cannot be approved here. See all of it on the Approvals page of ` +
    `the console, or with: portico approvals show ${ticket.id}`;
  const lines = linesOf(view);
  const kept: string[] = [];
  let left = maxMessage - titleOf(ticket).length - where.length - 100;
  for (const line of lines) {
    left -= line.length + 1;
    if (left < 0) break;
    kept.push(line);
  }
  const missing = lines.length - kept.length;
  const more = missing === 0 ? [] : [`(${missing} more lines are not shown)`];
  return [titleOf(ticket), where, ...kept, ...more].join('\n');
}

function toRequest(message: string, isApprovable: boolean, choices?: GrantChoices): ApprovalQuestion['request'] {
  const decision = { type: 'string', title: 'Decision', enum: isApprovable ? ['approve', 'reject'] : ['reject'] };
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message,
      requestedSchema: {
        type: 'object',
        properties: {
          ...(choices === undefined ? { decision } : choiceFields(choices)),
          reason: { type: 'string', title: 'Reason', description: 'Why it is rejected' },
        },
        required: ['decision'],
      },
    },
  };
}

/** Undefined if the user has not decided, or approves in a way that the question did not offer: the ticket stays open. */
export function decisionOf(
  answer: JsonObject | undefined,
  operator: string,
  { isApprovable, choices }: Pick<ApprovalQuestion, 'isApprovable' | 'choices'>,
): UserDecision | undefined {
  const { action, content } = answer ?? {};
  const given = isJsonObject(content) ? content : {};
  const { decision, reason } = given;
  const isRejected = decision === 'reject' || (choices !== undefined && decision === 'no');
  if (action === 'decline' || (action === 'accept' && isRejected)) {
    const why = typeof reason === 'string' && reason !== '' ? { reason } : {};
    return { decision: { kind: 'reject', operator, ...why } };
  }
  if (action !== 'accept' || !isApprovable) return undefined;
  const approval = { kind: 'approve', operator } as const;
  if (decision === (choices === undefined ? 'approve' : 'once')) return { decision: approval };
  const grant = choices && chosenGrant(choices, given);
  return grant && { decision: approval, grant };
}
