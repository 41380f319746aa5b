// Common parts of every call that a request leads to. Types only.
import type { JsonObject } from '@portico/contracts';
import type { Call } from '@portico/control-plane';
import type { Listener } from './listener.js';

/**
 * Common parts of every call that a request leads to. It ends with the request, so that no notification follows the
 * answer.
 */
export interface CallFrame extends Pick<Call, 'caller' | 'signal' | 'approvalWaitMs'>, Listener {
  readonly inputResponses?: JsonObject;
  readonly requestState?: string;
}
