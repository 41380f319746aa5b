// The steps around every route, in one order: a span, the checks, a body without a length, and an answer even after a
// failure.
import { andThen } from '@portico/async';
import { PorticoError, unknownOutcome } from '@portico/contracts';
import { CallFailure, type Log, traceFields } from '@portico/control-plane';
import { answerRefusal } from './answer.js';
import { Conflict, DefinitionChanged } from './approval-routes.js';
import type { Answer, Exchange, ExchangeRoute } from './exchange.js';
import type { Guard } from './guard.js';
import { BodyTooLarge, headerCorrelation } from './request.js';
import { Unready } from './service-routes.js';
import type { EndSpan } from './trace-requests.js';

export interface ServeDeps {
  readonly guard: Guard;
  readonly answerError: AnswerError;
  /** Begins the span of a request; without it there are none. */
  readonly beginSpan: ((x: Exchange) => EndSpan | undefined) | undefined;
}

/** Answers with what the route answers, unless a request does not get there. Throws or rejects only where a span cannot end. */
export type Serve = (x: Exchange, handle: ExchangeRoute['handle'], id: string) => Answer | Promise<Answer>;

export function createServe({ guard, answerError, beginSpan }: ServeDeps): Serve {
  return (x, handle, id) => {
    let endSpan: EndSpan | undefined;
    let answered: Answer | Promise<Answer>;
    try {
      endSpan = beginSpan?.(x);
      const guarded = guard(x);
      // A body that says its length was judged by that, and HTTP holds it to it.
      const isCounted = x.method === 'POST' && x.headers['content-length'] === undefined;
      answered =
        guarded === undefined && !isCounted
          ? handle(x, id)
          : enter(x, guarded, isCounted).then((refused) => refused ?? handle(x, id));
      if (answered instanceof Promise) answered = answered.catch((error: unknown) => answerError(x, error));
    } catch (error) {
      answered = answerError(x, error);
    }
    return endSpan === undefined ? answered : andThen(answered, ending(endSpan));
  };
}

/** Where the guard has to wait, or the body is read and counted before the route. */
async function enter(x: Exchange, guarded: ReturnType<Guard>, isCounted: boolean): Promise<Answer | undefined> {
  const refused = await guarded;
  if (refused === undefined && isCounted) await x.bytes();
  return refused;
}

function ending(endSpan: EndSpan): (answer: Answer) => Answer {
  return (answer) => {
    endSpan(answer.status);
    return answer;
  };
}

export type AnswerError = (x: Exchange, error: unknown) => Answer;

/** Any other error than a PorticoError is a defect: it is logged, and the caller gets no more than its trace. */
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
