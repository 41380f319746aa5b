// Leaves a record of every request that was refused before anybody looked at what it asks for. A flood of them leaves
// their number instead, so that a stranger cannot fill the disk.
import type { AuditDraft } from '@portico/audit-chain';
import type { Correlation } from '@portico/contracts';
import type { Clock } from '@portico/upstream-pool';
import type { Log } from '../common/log.js';
import type { AuditLog } from './audit-log.js';
import { type Asking, originFields, timestampOf } from './drafts.js';

/** What is known of such a request; nothing of it but the method has been checked. */
export interface RefusedRequest {
  readonly correlation: Correlation;
  readonly method: string;
  readonly path: string;
  /** HTTP status of the answer. */
  readonly httpStatus: number;
  readonly reason: string;
  /** Who it was, where they have proved it. */
  readonly caller?: Asking;
}

export interface RefusedAccess {
  /** Resolves when the record is as safe as the log promises. Rejects as the log does, which counts the refusal. */
  add(request: RefusedRequest): Promise<void>;
  /** Leaves the number that is still owed. Never rejects. */
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

export function createRefusedAccess({ audit, clock, log, redactText }: Deps): RefusedAccess {
  let recorded = 0;
  let uncounted = 0;
  let endMinute: (() => void) | undefined; // cancels the timer

  const common = (): Pick<AuditDraft, 'timestamp' | 'event_type' | 'status'> => ({
    timestamp: timestampOf(clock.epochMs()),
    event_type: 'auth_failure',
    status: 'denied',
  });

  const tellNumber = async () => {
    endMinute?.();
    endMinute = undefined;
    const more = uncounted;
    recorded = 0;
    uncounted = 0;
    if (more === 0) return;
    await audit.append({ ...common(), details: { more_requests: more } }).catch((error: unknown) => {
      log('error', 'an audit record could not be written', { error });
    });
  };

  return {
    async add({ correlation, method, path, httpStatus, reason, caller }) {
      endMinute ??= clock.after(minuteMs, tellNumber);
      if (recorded >= perMinute) {
        uncounted += 1;
        return;
      }
      recorded += 1;
      const action = await audit.begin();
      const details = { method, path: redactText(path.slice(0, maxPathLength)), http_status: httpStatus, reason };
      await action.end({
        ...common(),
        ...originFields({ redactText }, correlation, caller),
        details,
      });
    },
    close: tellNumber,
  };
}
