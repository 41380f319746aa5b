// Exactly one execution per key: keys, fingerprints, the gate, and the port to the ledger it relies on.
export { deriveKey, fingerprintOf, type Request } from './keys.js';
export type { Intent, Ledger, LedgerRecord, Outcome, RecordPage } from './ledger.js';
export { createMemoryLedger } from './memory-ledger.js';
export {
  createRunOnce,
  type Finished,
  type KeyUse,
  type OnceResult,
  type RunOnce,
  type RunOnceDeps,
} from './run-once.js';
