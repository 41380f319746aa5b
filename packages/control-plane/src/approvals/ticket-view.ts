// A ticket as every channel shows it: elicitation, terminal, console, webhook and routes get the same view.
import type { ApprovalView } from '@portico/contracts';
import { type Redactor, type ShowLimits, showArguments, visibleText, wideLimits } from '@portico/policy-engine';
import type { Ticket } from './ticket.js';
import { changesOf } from './ticket-definition.js';

/** @param limits narrower ones for a channel with less room; what they cut makes the view incomplete */
export function toApprovalView(ticket: Ticket, redactor: Redactor, limits: ShowLimits = wideLimits): ApprovalView {
  const { definition } = ticket;
  const description = definition?.definition?.description;
  const { changes, complete } = definition === null ? noChanges : changesOf(definition);
  return {
    arguments: showArguments(ticket.args, redactor, limits),
    definition_digest: definition?.digest ?? null,
    description: typeof description === 'string' ? visibleText(description, limits.valueLength).text : null,
    reasked: definition?.before !== undefined,
    changes,
    changes_complete: complete,
  };
}

const noChanges = Object.freeze({ changes: Object.freeze([]), complete: true });
