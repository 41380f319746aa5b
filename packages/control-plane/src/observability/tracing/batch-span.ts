// The span of a batch: what its steps' executions have in common. Without a tracer there is none.
import { SpanStatusCode } from '@opentelemetry/api';
import type { BatchCallResponse } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { BatchCall } from '../../call/batch.js';
import { requestAttributes } from './attributes.js';
import { type Tracing, waitIn } from './spans.js';
import { contextOf, toTraceParent } from './trace-context.js';

/** Runs a batch, whose calls become part of its span. */
export async function inBatchSpan(
  { tracer, randomHex }: Tracing,
  redactor: Redactor,
  batch: BatchCall,
  run: (batch: BatchCall) => Promise<BatchCallResponse>,
): Promise<BatchCallResponse> {
  if (tracer === undefined) return run(batch);
  const { correlation, caller, steps } = batch;
  const attributes = {
    ...requestAttributes(correlation, redactor.redactText),
    'portico.kind': 'batch',
    'portico.batch_steps': steps.length,
    ...(caller.profile === null ? {} : { 'portico.profile': redactor.redactText(caller.profile) }),
  };
  const span = tracer.startSpan('execute batch', { attributes }, contextOf(correlation, randomHex));
  const parent = toTraceParent(span.spanContext());
  return waitIn(span, redactor, async () => {
    const response = await run({ ...batch, correlation: { ...correlation, parent } });
    if (!response.ok) span.setStatus({ code: SpanStatusCode.ERROR });
    return response;
  });
}
