// Records every request that was refused before its content was checked. Repeats by the same caller are counted, and
// beyond a limit of different ones only their number is recorded, so that neither a program that repeats its requests
// nor an attacker fills the log.
import type { AuditDraft } from '@portico/audit-chain';
import type { Correlation } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import type { AuditLog } from './audit-log.js';
import { type Asking, originFields, timestampOf } from './drafts.js';

/** The known facts of such a request; only its method has been checked. */
export interface RefusedRequest {
  readonly correlation: Correlation;
  readonly method: string;
  readonly path: string;
  /** HTTP status of the answer. */
  readonly httpStatus: number;
  readonly reason: string;
  /** The caller, if authenticated. */
  readonly caller?: Asking;
}

export interface RefusedAccess {
  /** Resolves when the record is as safe as the log promises. Rejects as the log does, which counts the refusal. */
  add(request: RefusedRequest): Promise<void>;
  /** Records the pending count. Never rejects. */
  close(): Promise<void>;
}

interface Deps {
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactText: (text: string) => string;
}

/** Records of its own that a minute has; those beyond are counted, in one record at its end. */
const perMinute = 100;
const minuteMs = 60_000;
const maxPathLength = 1024;
/** How long repeats are counted before one record has their number. */
const repeatMs = 600_000;
/** Refusals whose repeats are counted at the same time; those beyond are records of their own. */
const maxRepeated = 200;

/** The draft of a refusal's record, and how often it was repeated since. */
interface Repeated {
  readonly draft: Omit<AuditDraft, 'timestamp'>;
  count: number;
}

export function createRefusedAccess({ audit, clock, log, redactText }: Deps): RefusedAccess {
  let recorded = 0;
  let uncounted = 0;
  let endMinute: (() => void) | undefined; // cancels the timer

  const common = (): Pick<AuditDraft, 'timestamp' | 'event_type' | 'status'> => ({
    timestamp: timestampOf(clock.epochMs()),
    event_type: 'auth_failure',
    status: 'denied',
  });

  const repeated = new Map<string, Repeated>();
  let endRepeats: (() => void) | undefined; // cancels the timer

  const count = (same: string, draft: AuditDraft): Repeated => {
    endRepeats ??= clock.after(repeatMs, recordRepeats);
    const { timestamp, trace_id, request_id, operation_id, work_item_id, ...ofCaller } = draft;
    const entry = { draft: ofCaller, count: 0 };
    repeated.set(same, entry);
    return entry;
  };

  const leave = (draft: Omit<AuditDraft, 'timestamp'>) =>
    audit.append({ timestamp: timestampOf(clock.epochMs()), ...draft } as AuditDraft).catch((error: unknown) => {
      log('error', 'an audit record could not be written', { error });
    });

  const recordRepeats = async () => {
    endRepeats?.();
    endRepeats = undefined;
    const counted = [...repeated.values()].filter(({ count }) => count > 0);
    repeated.clear();
    for (const { draft, count } of counted) await leave({ ...draft, details: { ...draft.details, repeated: count } });
  };

  const recordUncounted = async () => {
    endMinute?.();
    endMinute = undefined;
    const more = uncounted;
    recorded = 0;
    uncounted = 0;
    if (more === 0) return;
    await leave({ ...common(), details: { more_requests: more } });
  };

  return {
    async add({ correlation, method, path, httpStatus, reason, caller }) {
      const same = nameOf(method, path, httpStatus, reason, caller);
      const known = repeated.get(same);
      if (known !== undefined) {
        known.count += 1;
        return;
      }
      endMinute ??= clock.after(minuteMs, recordUncounted);
      if (recorded >= perMinute) {
        uncounted += 1;
        return;
      }
      recorded += 1;
      const details = { method, path: redactText(path.slice(0, maxPathLength)), http_status: httpStatus, reason };
      const draft = { ...common(), ...originFields({ redactText }, correlation, caller), details };
      const entry = repeated.size < maxRepeated ? count(same, draft) : undefined; // at once: repeats come before the log answers
      try {
        const action = await audit.begin();
        await action.end(draft);
      } catch (error) {
        // The repeats counted in between still need a record.
        if (entry?.count === 0 && repeated.get(same) === entry) repeated.delete(same);
        throw error;
      }
    },
    async close() {
      await recordRepeats();
      await recordUncounted();
    },
  };
}

/** Equal for the same refusal of the same caller, as far as callers are distinguished. */
function nameOf(method: string, path: string, httpStatus: number, reason: string, caller: Asking | undefined): string {
  const { role, actor, actorKind, source } = caller ?? {};
  const { channel, client } = source?.named ?? {};
  const asked = [method, path.slice(0, maxPathLength), httpStatus, reason];
  return JSON.stringify([...asked, role, actor, actorKind, channel, client?.name]);
}
