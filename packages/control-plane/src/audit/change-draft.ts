// The audit record of a change of the configuration.
import type { AuditDraft } from '@portico/audit-chain';
import type { Correlation, JsonObject, PorticoError, ServerChanges } from '@portico/contracts';
import type { Redactor } from '@portico/policy-engine';
import type { PlaneState } from '../state/plane-state.js';
import { type Asking, originFields, timestampOf } from './drafts.js';

/** The author of a change, and its trace. */
export interface ConfigAuthor {
  readonly identity: Asking;
  readonly correlation: Correlation;
}

export interface ConfigChange {
  readonly action: string;
  readonly details: JsonObject;
  /** Null if no server was looked at. */
  readonly changes: ServerChanges | null;
  /** Why it was refused. */
  readonly error?: PorticoError | undefined;
}

export function authorFields(redactor: Pick<Redactor, 'redactText'>, { identity, correlation }: ConfigAuthor) {
  return originFields(redactor, correlation, identity);
}

export function configChangeDraft(
  { policy, catalog }: PlaneState,
  epochMs: number,
  by: ConfigAuthor,
  { action, details, changes, error }: ConfigChange,
): AuditDraft {
  const { server } = details;
  const { mounted, unmounted, updated } = changes ?? {};
  return {
    timestamp: timestampOf(epochMs),
    event_type: 'config_change',
    status: error === undefined ? 'success' : 'failed',
    ...authorFields(policy.redactor, by),
    ...(typeof server === 'string' ? { server_id: server } : {}),
    ...(error === undefined ? {} : { error_code: error.code }),
    details: {
      action,
      ...policy.redactor.sanitize(details),
      ...(changes === null ? {} : { mounted: mounted ?? [], unmounted: unmounted ?? [], updated: updated ?? [] }),
      catalog_version: catalog.version,
      ...(error === undefined ? {} : { reason: policy.redactor.redactText(error.message) }),
    },
  };
}
