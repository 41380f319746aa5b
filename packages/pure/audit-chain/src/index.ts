// The hash chain of the audit log, and queries over its records. No file, no clock, no key: the writer holds them.
export { type ChainCheck, type ChainCheckOptions, createChainCheck } from './chain-check.js';
export {
  type Checkpoint,
  checkpointLine,
  checkpointText,
  parseCheckpoint,
  type SignedCheckpoint,
} from './checkpoint.js';
export { csvHeader, csvRow } from './csv.js';
export type { NotedHead } from './expected-head.js';
export { type AuditFilter, matchesFilter } from './filter.js';
export { breaksChain, type GapReason, toGapDraft } from './gap.js';
export { type LinkReading, readLink } from './link.js';
export { isPrunedUpTo, type Pruned, type Pruning, pruningIn, toPruningDraft } from './pruning.js';
export { parseRecord } from './read-line.js';
export {
  type AuditDraft,
  type AuditEventType,
  type AuditRecord,
  type AuditStatus,
  auditEventTypes,
  auditStatuses,
  genesisHash,
} from './record.js';
export {
  beginsLikeLine,
  genesisHead,
  type Head,
  parseRecordId,
  recordId,
  recordLine,
  type Sealed,
  seal,
} from './seal.js';
export { createSeries, type SeriesCounter, type SeriesPoint, type SeriesSpan, toSpan } from './series.js';
export { type AuditStats, createStats, type RecordCounts, type StatsCounter, toHour } from './stats.js';
export {
  callEventTypes,
  createUsage,
  failedStatus,
  type NamedUsage,
  refusalEventType,
  toUsage,
  type Usage,
  type UsageCounter,
  type UsageField,
} from './usage.js';
export {
  type ChainReport,
  type CheckpointReport,
  createVerifier,
  noCheckpoints,
  type VerificationReport,
  type Verifier,
  type VerifierOptions,
} from './verify.js';
export {
  createLogVerifier,
  type LogVerifier,
  type LogVerifierOptions,
  toChainReport,
  toLogReport,
} from './verify-chains.js';
export { createWitness, type Witness, type WitnessedLink, type WitnessOutcome } from './witness.js';
export { Written } from './written.js';
