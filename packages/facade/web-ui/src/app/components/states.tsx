// Placeholders where there is nothing to show: not yet, not at all, or because of a failure.
import type { UseQueryResult } from '@tanstack/react-query';
import { Activity, type ReactNode } from 'react';
import { type Problem, toProblem } from '../lib/problem.js';
import { WhyLink } from '../why/why-link.js';
import { Button } from './button.js';
import { VisibleText } from './visible-text.js';

export function Loading({ what }: { readonly what: string }) {
  return (
    <p className="state" role="status">
      <span className="spinner" aria-hidden="true" />
      Loading {what} …
    </p>
  );
}

export function Empty({ children }: { readonly children: ReactNode }) {
  return <div className="state is-empty">{children}</div>;
}

interface ProblemNoteProps {
  readonly problem: Problem | undefined;
  /** Asks again, where that is one press. */
  readonly onRetry?: () => void;
}

/** Code, message and next step of a failure; nothing where there is none. */
export function ProblemNote({ problem, onRetry }: ProblemNoteProps) {
  if (problem === undefined) return null;
  return (
    <div className="problem" role="alert">
      <p className="problem-code">{problem.code}</p>
      <p>
        <VisibleText text={problem.message} />
      </p>
      <p className="problem-next">{problem.next}</p>
      {problem.why === undefined ? null : <WhyLink id={problem.why} of="did it fail" />}
      {onRetry === undefined ? null : <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

interface QueryViewProps<Data> {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'error'> & { refetch(): unknown };
  readonly what: string;
  children(data: Data): ReactNode;
}

/**
 * Shows the data of a query, or that it is loading, or why it failed. Data that was read before stays beside a failure. When the
 * sign-in is over it is hidden and not removed, so that a form in it has what was typed after the next one.
 */
export function QueryView<Data>({ query, what, children }: QueryViewProps<Data>) {
  const { data, error, refetch } = query;
  const problem = error === null ? undefined : toProblem(error);
  if (data === undefined && problem === undefined) return <Loading what={what} />;
  if (problem?.status === 403) return <Empty>Your role may not see {what}.</Empty>;
  const isSignedOut = problem?.status === 401;
  // The banner of the page says that the daemon is away; what was read before stays.
  const isSaid = problem?.code === 'NO_ANSWER' && data !== undefined;
  return (
    <>
      {isSignedOut ? (
        <Empty>Sign in to see {what}.</Empty>
      ) : isSaid ? null : (
        <ProblemNote problem={problem} onRetry={() => void refetch()} />
      )}
      {data === undefined ? null : <Activity mode={isSignedOut ? 'hidden' : 'visible'}>{children(data)}</Activity>}
    </>
  );
}
