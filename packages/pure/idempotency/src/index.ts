// Exactly one execution per key: keys, fingerprints, the gate, and the port to the ledger it relies on.
export {
  type Ended,
  type IdempotencyClaim,
  type Known,
  NotBegun,
  type OnceResult,
  type RunOnce,
  type RunOptions,
  type Turn,
} from './gate.js';
export { deriveKey, fingerprintOf, isDerivedKey, type Request, type RequestKind } from './keys.js';
export {
  type Intent,
  type Interrupted,
  type Ledger,
  type LedgerRecord,
  notOpen,
  type RecordedOutcome,
  type RecordPage,
  type RecordSizes,
} from './ledger.js';
export { createMemoryLedger } from './memory-ledger.js';
export { createRunOnce, type RunOnceDeps } from './run-once.js';
