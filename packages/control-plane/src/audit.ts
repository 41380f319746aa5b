// The port to the audit log: one event for every action, and a log that lives as long as the process.
import type { Correlation, ErrorCode, JsonObject } from '@portico/contracts';

export type AuditEventType =
  | 'tool_call'
  | 'resource_read'
  | 'prompt_get'
  | 'approval_created'
  | 'approval_approved'
  | 'approval_rejected'
  | 'approval_expired'
  | 'policy_violation'
  | 'idempotent_replay';

export type AuditStatus = 'success' | 'failed' | 'denied' | 'intercepted' | 'cancelled';

export interface AuditEvent {
  readonly eventType: AuditEventType;
  readonly status: AuditStatus;
  /** Milliseconds since the Unix epoch. */
  readonly epochMs: number;
  readonly correlation: Correlation;
  readonly principal: string;
  readonly serverId?: string;
  readonly capabilityId?: string;
  readonly approvalId?: string;
  readonly idempotencyKey?: string;
  readonly isReplay?: boolean;
  /** Arguments without the keys that are redacted. */
  readonly sanitizedArgs?: JsonObject;
  readonly errorCode?: ErrorCode;
  readonly durationUs?: number;
  readonly details?: JsonObject;
}

export interface AuditSink {
  /** Resolves when the event is as safe as the log promises. */
  append(event: AuditEvent): Promise<void>;
}

export interface MemoryAudit extends AuditSink {
  /** Oldest first. */
  events(): readonly AuditEvent[];
}

/** Keeps the last `capacity` events. */
export function createMemoryAudit(capacity: number): MemoryAudit {
  const kept: AuditEvent[] = [];
  return {
    async append(event) {
      kept.push(event);
      if (kept.length >= 2 * capacity) kept.splice(0, kept.length - capacity); // rarely, so that it costs little each
    },
    events: () => kept.slice(-capacity),
  };
}
