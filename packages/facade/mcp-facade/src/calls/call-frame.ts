// What every call that a request leads to has in common. Shapes only.
import type { JsonObject } from '@portico/contracts';
import type { Call } from '@portico/control-plane';
import type { Listener } from './listener.js';

/** What is common to every call that a request leads to. Ended with the request, so that nothing is told after it. */
export interface CallFrame extends Pick<Call, 'caller' | 'signal' | 'approvalWaitMs'>, Listener {
  readonly inputResponses?: JsonObject;
  readonly requestState?: string;
}
