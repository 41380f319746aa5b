// Exactly one execution per key: keys, fingerprints, the gate, and the port to the ledger it relies on.
export { deriveKey, fingerprintOf, type Request, type RequestKind } from './keys.js';
export type { Intent, Interrupted, Ledger, LedgerRecord, Outcome, RecordPage } from './ledger.js';
export { createMemoryLedger } from './memory-ledger.js';
export {
  type Attempt,
  createRunOnce,
  type Finished,
  type KeyUse,
  type Known,
  NotBegun,
  type OnceResult,
  type RunOnce,
  type RunOnceDeps,
} from './run-once.js';
