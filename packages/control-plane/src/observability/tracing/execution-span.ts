// The span of one execution, under the caller's and above those of its steps. Without a tracer there is none.
import { type Tracer, trace } from '@opentelemetry/api';
import type { Redactor } from '@portico/policy-engine';
import type { Call, Outcome } from '../../call/call.js';
import type { Target } from '../../call/target.js';
import { callAttributes, outcomeAttributes, targetAttributes } from './attributes.js';
import { markFailed, type Steps, type Tracing, tracedSteps, UntracedSteps } from './steps.js';
import { contextOf, toSpanContext, toTraceParent } from './trace-context.js';

export interface ExecutionSpan {
  /** The call as part of the span: what it logs, keeps and sends names the span. */
  readonly call: Call;
  readonly steps: Steps;
  resolved(target: Target): void;
  ended(outcome: Outcome): void;
}

/** @param approvalId the ticket whose call this is; it is linked to the call that opened the ticket */
export function beginExecution(on: Tracing, redactor: Redactor, call: Call, approvalId: string | null): ExecutionSpan {
  return on.tracer === undefined
    ? { call, steps: new UntracedSteps(on, call.correlation), resolved: untold, ended: untold }
    : traceExecution(on.tracer, on, redactor, call, approvalId);
}

const untold = () => {};

function traceExecution(
  tracer: Tracer,
  { randomHex }: Tracing,
  redactor: Redactor,
  call: Call,
  approvalId: string | null,
): ExecutionSpan {
  const { redactText } = redactor;
  const { correlation } = call;
  const { traceId, parent } = correlation;
  const links = approvalId === null || parent === undefined ? [] : [{ context: toSpanContext(traceId, parent) }];
  const around = contextOf(correlation, randomHex);
  const options = { attributes: callAttributes(call, redactText), links };
  const span = tracer.startSpan(`execute ${call.kind}`, options, around);
  return {
    call: { ...call, correlation: { ...correlation, parent: toTraceParent(span.spanContext()) } },
    steps: tracedSteps(tracer, trace.setSpan(around, span), redactor),
    resolved: (target) => void span.setAttributes(targetAttributes(target, redactText)),
    ended(outcome) {
      span.setAttributes(outcomeAttributes(outcome, approvalId));
      const { error } = outcome.envelope;
      if (error !== null && outcome.kind !== 'pending') markFailed(span, error.code);
      span.end();
    },
  };
}
