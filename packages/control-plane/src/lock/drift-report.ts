// Reports each drift once: a line of the log, an audit record, and the event `definition.drift` to the webhook. A server
// that changes back and forth is reported once for each digest.
import type { DriftNotice, Webhook } from '@portico/contracts';
import { type Drift, type DriftClass, driftClasses } from '@portico/tools-lock';
import type { Clock } from '@portico/upstream-pool';
import type { AuditLog } from '../audit/audit-log.js';
import { timestampOf } from '../audit/drafts.js';
import type { Log } from '../common/log.js';
import type { ServerVerdict } from '../state/lock-verdicts.js';
import type { PlaneState } from '../state/plane-state.js';

/** Sends a notice of a drift. Never throws and never waits. */
export type NotifyDrift = (target: Webhook, notice: DriftNotice) => void;

export interface DriftReportDeps {
  readonly audit: Pick<AuditLog, 'append'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly randomHex: (characters: number) => string;
  readonly notifyDrift?: NotifyDrift | undefined;
}

export interface DriftReport {
  /** Reports what is new in a state. Never throws, and never waits. */
  note(state: PlaneState): void;
  /** Drifts since the start, by class. */
  totals(): Readonly<Record<DriftClass, number>>;
}

/** Drifts of one change that are reported one by one; of the others there is a number. */
const maxReported = 100;
/** Digests that are remembered of one server. */
const maxRemembered = 10_000;

export function createDriftReport(deps: DriftReportDeps): DriftReport {
  const { log } = deps;
  const totals = Object.fromEntries(driftClasses.map((each) => [each, 0])) as Record<DriftClass, number>;
  const known = new Map<string, Set<string>>();
  let last: PlaneState['lock'] | undefined;

  const report = (state: PlaneState, server: string, verdict: ServerVerdict) => {
    const seen = known.get(server) ?? new Set();
    const fresh = verdict.drifts.filter(({ id, digest }) => !seen.has(`${id} ${digest}`));
    if (fresh.length === 0) return;
    if (seen.size > maxRemembered) seen.clear();
    for (const { id, digest, class: found } of fresh) {
      seen.add(`${id} ${digest}`);
      totals[found] += 1;
    }
    known.set(server, seen);
    const held = fresh.filter(({ id }) => verdict.held.has(id)).length;
    log('warn', 'definitions differ from the lock', { server, drifts: fresh.length, held, ...shortened(fresh) });
    const shown = fresh.slice(0, maxReported);
    for (const drift of shown) reportOne(deps, state, drift, verdict, fresh.length - shown.length);
  };

  return {
    note(state) {
      const { lock } = state;
      if (lock === last || lock.loaded.fault !== undefined) return;
      for (const [server, verdict] of lock.servers) {
        if (last?.servers.get(server) !== verdict) report(state, server, verdict);
      }
      last = lock;
    },
    totals: () => totals,
  };
}

function reportOne(
  { audit, clock, log, randomHex, notifyDrift }: DriftReportDeps,
  { config, policy }: PlaneState,
  drift: Drift,
  { held }: ServerVerdict,
  more: number,
): void {
  const epochMs = clock.epochMs();
  const isHeld = held.has(drift.id);
  const fields = drift.changes.map(({ field }) => field);
  const digest = drift.digest ?? 'removed';
  const said = { id: policy.redactor.redactText(drift.id), class: drift.class, held: isHeld, digest, fields };
  const details = { action: 'definition_drift', ...said, ...(more === 0 ? {} : { more }) };
  audit
    .append({
      timestamp: timestampOf(epochMs),
      event_type: 'config_change',
      status: isHeld ? 'intercepted' : 'success',
      trace_id: randomHex(32),
      server_id: drift.server,
      details,
    })
    .catch((error: unknown) => log('error', 'a drift of a definition could not be recorded', { error }));
  const { kind, server: server_id, name } = drift;
  if (policy === undefined || config.policy.webhook === null) return;
  notifyDrift?.(config.policy.webhook, {
    event: 'definition.drift',
    timestamp: Math.floor(epochMs / 1000),
    drift: { ...said, kind, server_id, name: policy.redactor.redactText(name) },
  });
}

/** A server chooses how many there are. */
function shortened(drifts: readonly Drift[]): Readonly<Record<string, unknown>> {
  return { first: drifts.slice(0, 5).map((drift) => `${drift.id.slice(0, 200)} (${drift.class})`) };
}
