// Takes what a server says without asking, and hands what belongs to a call to the caller.
import type { JsonObject } from '@portico/contracts';
import type { AskingCall } from './askers.js';
import type { RpcId } from './wire.js';

export interface NotificationIntakeDeps {
  /** The call of one of our requests. */
  readonly callOf: (id: unknown) => AskingCall | undefined;
  /** The calls that run. */
  readonly running: () => readonly AskingCall[];
  /** The server wants no answer to its request any more. */
  readonly onCancelled: (id: unknown) => void;
  /** `isOfCall` for a log message that may be of a call: no other caller may see it. */
  readonly onNotification: (method: string, params: JsonObject, isOfCall: boolean) => void;
}

/** @param related the request on whose reply stream it came, where there is one */
export type TakeNotification = (method: string, params: JsonObject, related: RpcId | null | undefined) => void;

export function createNotificationIntake(deps: NotificationIntakeDeps): TakeNotification {
  const { callOf, running, onCancelled, onNotification } = deps;
  return (method, params, related) => {
    switch (method) {
      case 'notifications/progress': {
        const { progressToken, ...progress } = params;
        callOf(progressToken)?.handler.progress?.onProgress(progress);
        return;
      }
      case 'notifications/cancelled':
        onCancelled(params.requestId);
        return;
      case 'notifications/message': {
        const calls = running();
        const call = callOf(related) ?? (calls.length === 1 ? calls[0] : undefined);
        call?.handler.onLogMessage?.(params);
        onNotification(method, params, calls.length > 0);
        return;
      }
      default:
        onNotification(method, params, false);
    }
  };
}
