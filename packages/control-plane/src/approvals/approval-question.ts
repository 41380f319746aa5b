// The question of a gated call to a client that can show its user a form, and what the answer decides.
import { isJsonObject, type JsonObject } from '@portico/contracts';
import type { TicketDecision } from '@portico/policy-engine';
import type { ServerRequest } from '@portico/upstream-pool';
import type { Ticket } from './ticket.js';

/** The one question's key among the questions of an interim answer. */
export const approvalKey = 'approval';

const maxShown = 4000;

/** Shows what is to be run, without what is redacted. */
export function approvalQuestion({
  id,
  capabilityId,
  sanitizedArgs,
}: Ticket): ServerRequest & { readonly params: JsonObject } {
  const args = JSON.stringify(sanitizedArgs);
  const shown = args.length > maxShown ? `${args.slice(0, maxShown)}…` : args;
  return {
    method: 'elicitation/create',
    params: {
      mode: 'form',
      message: `"${capabilityId}" needs your approval (${id}). Arguments: ${shown}`,
      requestedSchema: {
        type: 'object',
        properties: {
          decision: { type: 'string', title: 'Decision', enum: ['approve', 'reject'] },
          reason: { type: 'string', title: 'Reason', description: 'Why it is rejected' },
        },
        required: ['decision'],
      },
    },
  };
}

/** Undefined where the user has not decided: the ticket stays open. */
export function decisionOf(answer: JsonObject | undefined, operator: string): TicketDecision | undefined {
  const { action, content } = answer ?? {};
  const { decision, reason } = isJsonObject(content) ? content : {};
  if (action === 'accept' && decision === 'approve') return { kind: 'approve', operator };
  if (action === 'decline' || (action === 'accept' && decision === 'reject')) {
    return { kind: 'reject', operator, ...(typeof reason === 'string' && reason !== '' ? { reason } : {}) };
  }
  return undefined;
}
