// A call that waits, as a row that can be decided: who wants to run what, with which arguments, by which rule, for how long.
import { argumentLines, argumentsInRow, canDecideInRow, ruleText, ticketPartsOf } from '@portico/contracts';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../components/button.js';
import { Countdown } from '../components/countdown.js';
import { ProblemNote } from '../components/states.js';
import { VisibleText } from '../components/visible-text.js';
import { useOperator } from '../data/operator.js';
import { useClient, useIsAdmin } from '../data/session.js';
import { useAction } from '../data/use-action.js';
import type { Ticket } from '../pages/approvals/ticket.js';
import { DecisionRow } from './decision-row.js';
import { RiskBadges } from './risk-badges.js';

interface TicketRowProps {
  readonly ticket: Ticket;
  /** It was decided or has expired, and keeps its place. */
  readonly isGone: boolean;
}

export function TicketRow({ ticket, isGone }: TicketRowProps) {
  const { id, capability_id: capability, view, rule, expires_at: expires } = ticket;
  const decision = useDecision(ticket);
  const path = `/approvals?id=${encodeURIComponent(id)}`;
  return (
    <DecisionRow
      isGone={isGone}
      time={<Countdown untilMs={expires * 1000} over="expired" />}
      over={expires * 1000 <= Date.now() ? 'expired' : 'decided'}
      actions={<Actions ticket={ticket} path={path} decision={decision} />}
    >
      <Link href={path} data-key="Enter" className="need-title">
        <TicketTitle ticket={ticket} />
      </Link>{' '}
      <RiskBadges capability={capability} />
      <p className="need-detail">
        <span className="mono">
          <VisibleText
            text={
              canDecideInRow(ticket)
                ? argumentsInRow(view.arguments)
                : `${argumentLines(view.arguments).length} lines of arguments`
            }
          />
        </span>
        {rule === undefined ? null : (
          <span className="muted">
            {' '}
            rule <VisibleText text={ruleText(rule)} />
          </span>
        )}
      </p>
      <ProblemNote problem={decision.problem} />
    </DecisionRow>
  );
}

interface ActionsProps {
  readonly ticket: Ticket;
  readonly path: string;
  readonly decision: ReturnType<typeof useDecision>;
}

function Actions({ ticket, path, decision }: ActionsProps): ReactNode {
  const { capability_id: capability } = ticket;
  if (!useIsAdmin()) return <span className="muted">Waits for an administrator</span>;
  return (
    <>
      {canDecideInRow(ticket) ? (
        <Button variant="primary" data-key="a" isBusy={decision.isBusy} onClick={() => void decision.approve()}>
          Approve<span className="visually-hidden"> {capability}</span>
        </Button>
      ) : (
        <Link href={path} className="button is-plain">
          Review<span className="visually-hidden"> {capability}</span>
        </Link>
      )}
      <Button variant="danger" data-key="r" isBusy={decision.isBusy} onClick={() => void decision.reject()}>
        Reject<span className="visually-hidden"> {capability}</span>
      </Button>
    </>
  );
}

/** "claude-code wants to run flaky.drop_table" */
export function TicketTitle({ ticket }: { readonly ticket: Ticket }) {
  const { who, verb, what } = ticketPartsOf(ticket);
  return (
    <>
      <VisibleText text={who} /> {verb}{' '}
      <strong>
        <VisibleText text={what} />
      </strong>
    </>
  );
}

/** Decides on the ticket as it is shown: where its definition changes before, the service refuses. */
function useDecision({ id, capability_id: capability, view }: Ticket) {
  const client = useClient();
  const { ask } = useOperator();
  const approve = useAction(
    (operator: string) => client.approve(id, { operator, definition_digest: view.definition_digest }),
    () => `${capability} is approved`,
  );
  const reject = useAction(
    (operator: string) => client.reject(id, { operator }),
    () => `${capability} is rejected`,
  );
  const decide = async (run: (operator: string) => Promise<unknown>) => {
    approve.reset();
    reject.reset();
    const operator = await ask();
    if (operator !== undefined) await run(operator);
  };
  return {
    isBusy: approve.isBusy || reject.isBusy,
    problem: approve.problem ?? reject.problem,
    approve: () => decide(approve.run),
    reject: () => decide(reject.run),
  };
}
