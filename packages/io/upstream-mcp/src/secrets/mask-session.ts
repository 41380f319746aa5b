// A session none of whose words about itself holds a known secret: log lines, reasons, errors. Results and definitions
// are the server's own and pass as they are.
import type { Settle } from '@portico/async';
import type { JsonObject, JsonValue } from '@portico/contracts';
import {
  type ServerRequestHandler,
  type UpstreamEvents,
  UpstreamFailure,
  type UpstreamSession,
} from '@portico/upstream-pool';
import type { KnownSecrets } from './known-secrets.js';

export function maskEvents(events: UpstreamEvents, { mask, maskJson }: KnownSecrets): UpstreamEvents {
  return {
    ...events,
    onClosed: (reason) => events.onClosed(mask(reason)),
    onLog: (line) => events.onLog(mask(line)),
    onLogMessage: (message) => events.onLogMessage(maskJson(message) as JsonObject), // an object stays one
  };
}

export function maskSession(session: UpstreamSession, secrets: KnownSecrets): UpstreamSession {
  const masked = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw maskFailure(error, secrets);
    });
  return {
    ...session,
    request: (request, signal, handler, settle) =>
      session.request(request, signal, handler && maskHandler(handler, secrets), new Masked(settle, secrets)),
    watchResources: (uris, signal) => masked(session.watchResources(uris, signal)),
    discover: (signal) => masked(session.discover(signal)),
    checkHealth: (signal) => masked(session.checkHealth(signal)),
  };
}

/** Hands on a failure without secrets, and a result as it is. */
class Masked implements Settle<JsonObject> {
  readonly #settle: Settle<JsonObject>;
  readonly #secrets: KnownSecrets;

  constructor(settle: Settle<JsonObject>, secrets: KnownSecrets) {
    this.#settle = settle;
    this.#secrets = secrets;
  }

  resolve(result: JsonObject): void {
    this.#settle.resolve(result);
  }

  reject(error: unknown): void {
    this.#settle.reject(maskFailure(error, this.#secrets));
  }
}

function maskHandler(handler: ServerRequestHandler, { maskJson }: KnownSecrets): ServerRequestHandler {
  const { capabilities, logLevel, onProgress, onLogMessage } = handler;
  if (onLogMessage === undefined) return handler;
  return {
    capabilities,
    logLevel,
    onProgress,
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
