// What an HTTP status says about a request and about the session it was part of.
import { isJsonObject } from '@portico/contracts';
import { HttpFailure, rejected } from './failures.js';

export interface RefusedResponse {
  readonly status: number;
  readonly body: string;
  readonly place: string;
  /** The request named a session. */
  readonly hadSession: boolean;
}

/** The failure that a response other than 2xx stands for. */
export function statusFailure({ status, body, place, hadSession }: RefusedResponse): Error {
  const fail = (message: string, sent: boolean, endsSession = false) =>
    new HttpFailure(message, { status, sent, endsSession });
  if (status === 401) return fail(`authentication failed (status 401) at ${place}`, false);
  if (status === 403) return fail(`access denied (status 403) at ${place}`, false);
  // 404 says so by the specification; some servers answer 400 for a session they do not know.
  if (hadSession && (status === 404 || (status === 400 && /session/i.test(body)))) {
    return fail(`the server at ${place} no longer knows our session (status ${status})`, false, true);
  }
  const error = rpcErrorIn(body);
  return error === undefined ? fail(`HTTP ${status} from ${place}`, true) : rejected(error);
}

/** Errors of the protocol come with a status as well: -32601 with 404, -32602 with 400 (MCP 2026-07-28). */
function rpcErrorIn(body: string): unknown {
  try {
    const message: unknown = JSON.parse(body);
    return isJsonObject(message) && message.jsonrpc === '2.0' && isJsonObject(message.error)
      ? message.error
      : undefined;
  } catch {
    return undefined;
  }
}
