// Turns notifications of a server into the events of a session.
import type { JsonObject } from '@portico/contracts';
import type { UpstreamEvents } from '@portico/upstream-pool';
import { maxLogLineBytes } from './transport.js';

export type NotificationEvents = Pick<
  UpstreamEvents,
  'onListChanged' | 'onResourceUpdated' | 'onLog' | 'onLogMessage'
> & {
  /** A subscription to changes is in force (2026-07-28). */
  readonly onSubscribed: () => void;
};

/**
 * Ignores notifications that are not named here.
 * @param isOfCall whether the log message may be of a call
 */
export function dispatchNotification(
  method: string,
  params: JsonObject,
  isOfCall: boolean,
  events: NotificationEvents,
): void {
  switch (method) {
    case 'notifications/tools/list_changed':
    case 'notifications/resources/list_changed':
    case 'notifications/prompts/list_changed':
      events.onListChanged();
      return;
    case 'notifications/resources/updated':
      if (typeof params.uri === 'string') events.onResourceUpdated(params.uri);
      return;
    case 'notifications/message':
      events.onLog(logLine(params));
      if (!isOfCall) events.onLogMessage(params);
      return;
    case 'notifications/subscriptions/acknowledged':
      events.onSubscribed();
      return;
  }
}

function logLine({ level, logger, data }: JsonObject): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
  const origin = typeof logger === 'string' ? `${logger}: ` : '';
  const line = `[${typeof level === 'string' ? level : 'info'}] ${origin}${text}`;
  return line.slice(0, maxLogLineBytes).replaceAll(/[\r\n]+/g, ' ');
}
