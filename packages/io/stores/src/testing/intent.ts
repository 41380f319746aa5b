// Intents and the records they become.
import type { Intent, LedgerRecord } from '@portico/idempotency';

export function intentOf(some: Partial<Intent> = {}): Intent {
  return {
    scope: 'ann',
    key: 'k-1',
    fingerprint: 'f-1',
    kind: 'tool',
    capabilityId: 'files.write',
    firstTraceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    createdAtMs: 1000,
    unknownResponse: '{"ok":false}',
    ...some,
  };
}

export function recordOf({ unknownResponse, ...rest }: Intent, some: Partial<LedgerRecord> = {}): LedgerRecord {
  return { ...rest, completedAtMs: null, response: unknownResponse, replayCount: 0, ...some };
}
