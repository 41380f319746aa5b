// How things go wrong with an upstream, said once: the thing, the place without its secrets, and the next step.
import { isJsonObject, sizeUpTo } from '@portico/contracts';
import { maxErrorData, type PendingLogin, UpstreamFailure, type UpstreamRpcError } from '@portico/upstream-pool';
import { rpcErrors } from './wire.js';

/** A server that cannot be reached, or is no longer. `sent`: the request may have been carried out. */
export function unreachable(message: string, sent: boolean, cause?: unknown): UpstreamFailure {
  return new UpstreamFailure(excerpt(message), { kind: 'unreachable', sent }, cause === undefined ? {} : { cause });
}

/** The server's own JSON-RPC error, with its `data` unchanged. */
export function rejected(error: unknown): UpstreamFailure {
  const detail = toRpcError(error);
  return new UpstreamFailure(detail.message, { kind: 'rejected', error: detail });
}

export interface HttpFailureOptions {
  readonly status?: number;
  readonly sent: boolean;
  readonly endsSession?: boolean;
  /** A person has to log in first. */
  readonly login?: PendingLogin;
  readonly cause?: unknown;
}

/** A failure of the HTTP exchange itself. */
export class HttpFailure extends UpstreamFailure {
  /** The status the server answered with; null when it gave none. */
  readonly status: number | null;
  /** The server, or the session with it, is lost: later requests cannot succeed either. */
  readonly endsSession: boolean;

  constructor(message: string, options: HttpFailureOptions) {
    super(
      options.login === undefined ? excerpt(message) : message, // half of a link would be none
      { kind: 'unreachable', sent: options.sent, ...(options.login === undefined ? {} : { login: options.login }) },
      options.cause === undefined ? {} : { cause: options.cause },
    );
    this.name = 'HttpFailure';
    this.status = options.status ?? null;
    this.endsSession = options.endsSession ?? false;
  }
}

export function rejectionCode(error: unknown): number | undefined {
  return error instanceof UpstreamFailure && error.detail.kind === 'rejected' ? error.detail.error.code : undefined;
}

/** A URL fit for messages and logs: no credentials, no query. */
export const placeOf = (url: URL): string => `${url.origin}${url.pathname}`;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Text that a server may have written, as short as a message should be. */
export const excerpt = (text: string, maxLength = 1_024): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;

/** Data that no caller will see is left out before the search for secrets. */
function toRpcError(error: unknown): UpstreamRpcError {
  const { code, message, data } = isJsonObject(error) ? error : {};
  return {
    code: typeof code === 'number' ? code : rpcErrors.internalError,
    message: typeof message === 'string' ? excerpt(message) : 'the server answered with an error that has no message',
    ...(data === undefined || sizeUpTo([data], maxErrorData) > maxErrorData ? {} : { data }),
  };
}
