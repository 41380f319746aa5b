// Interprets an HTTP status for a request and for its session.
import { isJsonObject, parseJson } from '@portico/contracts';
import { HttpFailure, rejected } from './failures.js';
import { rpcErrors } from './wire.js';

export interface RefusedResponse {
  readonly status: number;
  readonly body: string;
  readonly place: string;
  /** The request named a session. */
  readonly hadSession: boolean;
  /** The handshake is over. Before it, a status shows which transport and era the server does not speak. */
  readonly isLive: boolean;
}

/** The failure for a response other than 2xx. */
export function statusFailure({ status, body, place, hadSession, isLive }: RefusedResponse): Error {
  const fail = (message: string, sent: boolean, endsSession = false) =>
    new HttpFailure(message, { status, sent, endsSession });
  if (status === 401) return fail(`authentication failed (status 401) at ${place}`, false);
  if (status === 403) return fail(`access denied (status 403) at ${place}`, false);
  // 404 says so by the specification; some servers answer 400 for a session they do not know.
  if (hadSession && (status === 404 || (status === 400 && speaksOfLostSession(body)))) {
    return fail(`the server at ${place} no longer knows our session (status ${status})`, false, true);
  }
  const error = rpcErrorIn(body);
  if (error !== undefined) return rejected(error);
  if (isLive && isRefusal(status)) {
    return rejected({ code: rpcErrors.internalError, message: `${place} refused the request with HTTP ${status}` });
  }
  return fail(`HTTP ${status} from ${place}`, true);
}

/** A fault of the one request, said by a server that is there: too large (413), too many (429) and their kind. */
const isRefusal = (status: number) => status >= 400 && status < 500 && status !== 407 && status !== 408;

/** "Session not found" and its variants; other errors may speak of sessions too, even of the tool's own. */
const speaksOfLostSession = (body: string) =>
  /\bsession\b[^.]{0,60}\b(?:not found|expired|unknown|invalid)\b|\b(?:no valid|unknown|invalid|expired) session\b/i.test(
    body.slice(0, 4_096),
  );

/** Errors of the protocol come with a status as well: -32601 with 404, -32602 with 400 (MCP 2026-07-28). */
function rpcErrorIn(body: string): unknown {
  try {
    const message: unknown = parseJson(body);
    return isJsonObject(message) && message.jsonrpc === '2.0' && isJsonObject(message.error)
      ? message.error
      : undefined;
  } catch {
    return undefined;
  }
}
