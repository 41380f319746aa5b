// Small tools for asynchronous work that several packages need.
export { type AbortListener, type AbortSignalLike, AbortSource, toAbortSignal } from './abort-source.js';
export { andThen } from './and-then.js';
export { type Coalesced, coalesce } from './coalesce.js';
export { type Linked, LinkedSet } from './linked-set.js';
export { createKeyedMutex, createMutex, type KeyedMutex, type Mutex } from './mutex.js';
export { promised, type Settle, settleWith } from './settle.js';
export { createShares, type Holder, type Refusal, type Shares } from './shares.js';
export { finish, type Steps } from './steps.js';
export { untilAborted } from './until-aborted.js';
export { QueueFull, type Waiter, WaitingLines } from './waiting-lines.js';
