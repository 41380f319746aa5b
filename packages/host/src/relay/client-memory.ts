// The state of the relay's client, so that another service can continue where the last one left it.
import type { JsonObject } from '@portico/contracts';
import { idOf, methodOf, paramsOf, type RpcId, textOf } from './messages.js';

/** Requests that change nothing and are simply asked again. */
const repeatable: readonly string[] = ['initialize', 'server/discover'];

/** Messages that a later service is sent again. */
const resent: readonly string[] = [
  ...repeatable,
  'notifications/initialized',
  'logging/setLevel',
  'resources/subscribe',
  'subscriptions/listen',
];

export function isSentAgain(message: JsonObject): boolean {
  return resent.includes(methodOf(message) ?? '');
}

export interface Listen {
  readonly id: RpcId;
  readonly message: JsonObject;
  readonly isAcknowledged: boolean;
}

export interface ClientMemory {
  /** Notes a message on its way to the service; one that `isSentAgain` with exact numbers. */
  sent(message: JsonObject): void;
  /** Notes the answer to a request of the client. */
  answered(id: RpcId): void;
  /** Whether a request of this id waits for its answer. */
  isUnanswered(id: RpcId): boolean;
  /** Requests that wait for their answers; subscriptions have none. */
  unanswered(): number;
  /** Forgets what was under way: the requests that are lost, and those to be asked again. */
  takeUnanswered(): { readonly lost: readonly RpcId[]; readonly repeated: readonly JsonObject[] };
  /** Messages that put a new service into the state of the last one, in order; the answers are dropped. */
  replay(): readonly JsonObject[];
  /** Whether it is a client of a session that has sent `notifications/initialized`. */
  isInitialized(): boolean;
  /** Notes that the client knows of its subscription of 2026-07-28. */
  acknowledged(id: RpcId): void;
  /** Whether a subscription of 2026-07-28 stands under this id. */
  isListening(id: RpcId): boolean;
  /** Subscriptions of 2026-07-28 that stand or are asked for. */
  listens(): readonly Listen[];
}

export function createClientMemory(): ClientMemory {
  const pending = new Map<RpcId, JsonObject>();
  const listens = new Map<RpcId, Listen>();
  const subscribed = new Map<string, JsonObject>();
  let initialize: JsonObject | undefined;
  let initialized: JsonObject | undefined;
  let setLevel: JsonObject | undefined;

  const remember = (message: JsonObject) => {
    const { uri, requestId } = paramsOf(message);
    switch (methodOf(message)) {
      case 'initialize':
        initialize = message;
        break;
      case 'notifications/initialized':
        initialized = message;
        break;
      case 'logging/setLevel':
        setLevel = message;
        break;
      case 'resources/subscribe':
        subscribed.set(textOf(uri), message);
        break;
      case 'resources/unsubscribe':
        subscribed.delete(textOf(uri));
        break;
      case 'notifications/cancelled':
        forget(idOf({ id: requestId }));
        break;
    }
  };
  const forget = (id: RpcId | undefined) => {
    if (id === undefined) return;
    listens.delete(id);
    pending.delete(id); // a cancelled request is not answered
  };

  return {
    sent(message) {
      remember(message);
      const id = idOf(message);
      const method = methodOf(message);
      if (id === undefined || method === undefined) return;
      if (method === 'subscriptions/listen') listens.set(id, { id, message, isAcknowledged: false });
      else pending.set(id, message);
    },
    answered(id) {
      pending.delete(id);
      listens.delete(id);
    },
    isUnanswered: (id) => pending.has(id),
    unanswered: () => pending.size,
    takeUnanswered() {
      const all = [...pending];
      const isRepeatable = (message: JsonObject) => repeatable.includes(methodOf(message) ?? '');
      const repeated = all.filter(([, message]) => isRepeatable(message));
      pending.clear();
      for (const [id, message] of repeated) pending.set(id, message);
      return {
        lost: all.filter(([, message]) => !isRepeatable(message)).map(([id]) => id),
        repeated: repeated.map(([, message]) => message),
      };
    },
    replay() {
      if (initialize === undefined || initialized === undefined) return [];
      return [initialize, initialized, ...(setLevel === undefined ? [] : [setLevel]), ...subscribed.values()];
    },
    isInitialized: () => initialized !== undefined,
    acknowledged(id) {
      const listen = listens.get(id);
      if (listen !== undefined) listens.set(id, { ...listen, isAcknowledged: true });
    },
    isListening: (id) => listens.get(id)?.isAcknowledged === true,
    listens: () => [...listens.values()],
  };
}
