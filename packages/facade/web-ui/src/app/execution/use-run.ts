// Runs one thing at a time, by a request id under which it can be cancelled.
import type { JsonObject, SuccessEnvelope } from '@portico/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useClient } from '../data/session.js';
import { randomId } from '../lib/random-id.js';
import { type RunOutcome, toFailedRun, toRunOutcome } from './run-outcome.js';

export interface Run {
  readonly isRunning: boolean;
  readonly outcome: RunOutcome | undefined;
  start(): void;
  /** Goes on with the answers to what was asked. */
  resume(answers: JsonObject, requestState: string): void;
  /** Ends it at the server too. */
  cancel(): void;
  clear(): void;
}

export interface Turn {
  readonly request_id: string;
  readonly input_responses?: JsonObject;
  readonly request_state?: string;
}

/** @param perform sends the request with these fields in its body */
export function useRun(perform: (turn: Turn) => Promise<SuccessEnvelope>): Run {
  const client = useClient();
  const queries = useQueryClient();
  const [runningId, setRunningId] = useState<string | undefined>(undefined);
  const [outcome, setOutcome] = useState<RunOutcome | undefined>(undefined);
  const latest = useRef<string | undefined>(undefined);
  useEffect(() => {
    return () => {
      latest.current = undefined;
    };
  }, []);

  const run = async (rest: object) => {
    const id = `console-${randomId()}`;
    latest.current = id;
    setRunningId(id);
    const startedAt = performance.now();
    const ended = await perform({ request_id: id, ...rest }).then(
      (envelope) => toRunOutcome(envelope, performance.now() - startedAt),
      (error: unknown) => toFailedRun(error, performance.now() - startedAt),
    );
    if (latest.current !== id) return; // a newer run was started, or the page was left
    setRunningId(undefined);
    setOutcome(ended);
    await queries.invalidateQueries();
  };

  return {
    isRunning: runningId !== undefined,
    outcome,
    start: () => void run({}),
    resume: (answers, requestState) => void run({ input_responses: answers, request_state: requestState }),
    cancel: () => {
      if (runningId !== undefined) void client.cancelOperation(runningId).catch(() => {}); // the run reports its outcome
    },
    clear: () => {
      latest.current = undefined;
      setRunningId(undefined);
      setOutcome(undefined);
    },
  };
}
