// The traces of a refused question: the count of its server, a line of the log, and a note in the record of the call.
// It does not count as a failure: the server continues.
import type { Correlation, RefusalReason } from '@portico/contracts';
import type { ServerRequest, ServerRequestMethod, UpstreamPool } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import { traceFields } from '../observability/tracing/trace-context.js';

export interface RefusalDeps {
  readonly pool: Pick<UpstreamPool, 'get'>;
  readonly log: Log;
}

/** The call that was asked: its record names what was refused. */
interface AskedCall {
  readonly call: { readonly correlation: Correlation };
  refused: readonly ServerRequestMethod[] | undefined;
}

export function noteRefused(
  { pool, log }: RefusalDeps,
  server: string,
  { method }: ServerRequest,
  reason: RefusalReason,
  run?: AskedCall,
): void {
  pool.get(server)?.noteRefused(method, reason);
  const trace = run === undefined ? {} : traceFields(run.call.correlation);
  log('debug', 'a question of a server is refused', { server, method, reason, ...trace });
  if (run !== undefined) run.refused = [...new Set([...(run.refused ?? []), method])];
}
