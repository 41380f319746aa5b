// Why a call ended as it did, from audit records. No clock, no store: everything is passed in.
export type { Cause } from './causes.js';
export type { Evidence, InForce, RuleInForce } from './evidence.js';
export { citedIn, explain, isExplained, subjectOf } from './explain.js';
export { summarizeTraces, toSummarized } from './summaries.js';
