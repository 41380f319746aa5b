// What surrounds every route, in one order: a span, the checks, a body that does not say its length, and an answer even
// where something fails.
import { andThen } from '@portico/async';
import { PorticoError, unknownOutcome } from '@portico/contracts';
import { CallFailure, type Log, traceFields } from '@portico/control-plane';
import { answerRefusal } from './answer.js';
import { Conflict, DefinitionChanged } from './approval-routes.js';
import { BodyTooLarge } from './body.js';
import { headerCorrelation } from './correlation.js';
import type { Answer, Exchange } from './exchange.js';
import type { Guard } from './guard.js';
import { Unready } from './service-routes.js';
import type { EndSpan } from './trace-requests.js';

export interface ServeDeps {
  readonly guard: Guard;
  readonly answerError: AnswerError;
  /** Begins the span of a request; without it there are none. */
  readonly beginSpan: ((x: Exchange) => EndSpan | undefined) | undefined;
}

/** Answers with what the route answers, unless a request does not get there. Throws or rejects only where a span cannot end. */
export type Serve = (x: Exchange, route: () => Answer | Promise<Answer>) => Answer | Promise<Answer>;

export function createServe({ guard, answerError, beginSpan }: ServeDeps): Serve {
  return (x, route) => {
    let endSpan: EndSpan | undefined;
    let answered: Answer | Promise<Answer>;
    const end = (answer: Answer) => {
      endSpan?.(answer.status);
      return answer;
    };
    const fail = (error: unknown) => end(answerError(x, error));
    try {
      endSpan = beginSpan?.(x);
      answered = andThen(guard(x), (refused) => refused ?? (isCounted(x) ? andThen(x.bytes(), route) : route()));
    } catch (error) {
      return fail(error);
    }
    return answered instanceof Promise ? answered.then(end, fail) : end(answered);
  };
}

/** Whether its body is read and counted before the route: one that says its length was judged by that, and HTTP holds it to it. */
function isCounted(x: Exchange): boolean {
  return x.method === 'POST' && x.header('content-length') === undefined;
}

export type AnswerError = (x: Exchange, error: unknown) => Answer;

/** What is no failure of ours is a defect: it is logged, and the caller gets no more than its trace. */
export function createAnswerError(log: Log, randomHex: (characters: number) => string): AnswerError {
  return (x, error) => {
    const correlation = headerCorrelation(x, randomHex);
    if (error instanceof CallFailure) return answerRefusal(correlation, error);
    if (error instanceof DefinitionChanged) return answerRefusal(correlation, toRefusal(error));
    if (error instanceof PorticoError) {
      const { code, message } = error;
      return answerRefusal(correlation, { code, message, ...statusOf(error) });
    }
    log('error', 'a request failed from a defect', { ...traceFields(correlation), error });
    const message = `internal error; the log has the details under trace ${correlation.traceId}`;
    return answerRefusal(correlation, { code: 'INTERNAL_ERROR', message, retry: unknownOutcome });
  };
}

function toRefusal({ code, message, approvalId, reason, hint }: DefinitionChanged) {
  return { code, message, approvalId, reason, hint, status: 409 };
}

/** Where it is not that of the code. */
function statusOf(error: PorticoError): { readonly status?: number } {
  if (error instanceof BodyTooLarge) return { status: 413 };
  if (error instanceof Conflict) return { status: 409 };
  if (error instanceof Unready) return { status: 503 };
  return {};
}
