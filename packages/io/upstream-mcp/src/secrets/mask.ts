// Takes known secrets out of what a session says about itself: log lines, reasons, errors.
import type { JsonObject, JsonValue } from '@portico/contracts';
import { type ServerRequestHandler, type UpstreamEvents, UpstreamFailure } from '@portico/upstream-pool';
import type { KnownSecrets } from './known-secrets.js';

export function maskEvents(events: UpstreamEvents, { mask, maskJson }: KnownSecrets): UpstreamEvents {
  return {
    ...events,
    onClosed: (reason) => events.onClosed(mask(reason)),
    onLog: (line) => events.onLog(mask(line)),
    onLogMessage: (message) => events.onLogMessage(maskJson(message) as JsonObject), // an object stays one
  };
}

/** The caller's side of a request, which receives no secret in a log message. */
export function maskHandler(handler: ServerRequestHandler, { maskJson }: KnownSecrets): ServerRequestHandler {
  const { capabilities, logLevel, progress, onLogMessage } = handler;
  if (onLogMessage === undefined) return handler;
  return {
    capabilities,
    logLevel,
    progress,
    onServerRequest: (question, signal) => handler.onServerRequest(question, signal),
    onLogMessage: (message) => onLogMessage(maskJson(message) as JsonObject),
  };
}

/** The same error where it holds no secret. Its cause is dropped else: it holds what the message held. */
export function maskFailure(error: unknown, { mask, maskJson }: KnownSecrets): unknown {
  if (!(error instanceof UpstreamFailure)) return error;
  const { message, detail } = error;
  if (detail.kind === 'unreachable') {
    return mask(message) === message ? error : new UpstreamFailure(mask(message), detail);
  }
  const { error: given } = detail;
  const isClean = mask(message) === message && JSON.stringify(given) === mask(JSON.stringify(given));
  if (isClean) return error;
  return new UpstreamFailure(mask(message), {
    kind: 'rejected',
    error: {
      code: given.code,
      message: mask(given.message),
      ...(given.data === undefined ? {} : { data: maskJson(given.data as JsonValue) }), // it came as JSON
    },
  });
}
