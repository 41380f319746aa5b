// The events of one session, from its first sign of life to its end, after which no event is passed on.
import type { JsonObject } from '@portico/contracts';
import type { UpstreamEvents } from '@portico/upstream-pool';
import type { AttemptEvents, Established } from './attempt.js';
import { type ChangeWatch, startChangeWatch } from './change-watch.js';
import { messageOf } from './failures.js';
import { dispatchNotification } from './notifications.js';
import { createWaits } from './waits.js';

export interface SessionLife {
  /** For the transport and the peer of every try at a connection. */
  readonly events: AttemptEvents;
  /** The session is handed over: from now on everything is passed on, and changes are watched for. */
  begin(established: Established, onProblem: (message: string) => void): void;
  /** Subscribes to updates of these resources at a 2026-07-28 server. */
  watchResources(uris: readonly string[]): void;
  end(): void;
}

/** How long after connecting to a session over HTTP its lists are worth a second look. */
const secondLookMs = 250;

export function createSessionLife(events: UpstreamEvents): SessionLife {
  const over = new AbortController();
  const waits = createWaits();
  let phase: 'connecting' | 'connected' | 'ended' = 'connecting';
  let hasReplyStreams = false;
  let subscriptions = 0;
  let changes: ChangeWatch | undefined;

  const onListChanged = () => {
    if (phase === 'connected') events.onListChanged();
  };
  const onLog = (line: string) => {
    if (phase !== 'ended') events.onLog(line);
  };
  const notificationEvents = {
    onListChanged,
    onLog,
    onLogMessage(message: JsonObject) {
      if (phase === 'connected') events.onLogMessage(message);
    },
    onResourceUpdated(uri: string) {
      if (phase === 'connected') events.onResourceUpdated(uri);
    },
    onSubscribed() {
      subscriptions += 1;
      // Over HTTP the lists may have been read before the subscription was in force; a second one follows a gap.
      if (hasReplyStreams || subscriptions > 1) onListChanged();
    },
  };
  const end = () => {
    phase = 'ended';
    over.abort(new Error('the session is over'));
    waits.end();
  };

  return {
    end,
    watchResources: (uris) => changes?.watchResources(uris),
    events: {
      onLog,
      onGap: onListChanged,
      onNotification: (method, params, isOfCall) => dispatchNotification(method, params, isOfCall, notificationEvents),
      onServerRequest: events.onServerRequest,
      onClosed(reason: string) {
        if (phase !== 'connected') return;
        end();
        events.onClosed(reason);
      },
    },
    begin({ peer, transport, agreement }: Established, onProblem: (message: string) => void) {
      phase = 'connected';
      hasReplyStreams = transport.hasReplyStreams;
      if (agreement.era === 'modern') {
        const { capabilities } = agreement;
        changes = startChangeWatch({ peer, capabilities, waits, signal: over.signal, onProblem });
        changes.over.catch((error) => onProblem(messageOf(error)));
      } else if (transport.sessionId() !== undefined) {
        // Announcements of a session before its stream is open are lost.
        void waits.wait(secondLookMs).then(onListChanged);
      }
    },
  };
}
