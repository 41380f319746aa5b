// One HTTP exchange with the service: address, credentials, and what counts as an answer.
import { type ErrorEnvelope, parseExact, parseJson, writeExact } from '@portico/contracts';
import { ApiError, UnexpectedAnswerError, UnreachableError } from './errors.js';

/** As the `fetch` of browsers and Node. An app that never listens can be given in its place. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface ClientOptions {
  /** Where the service listens, without a path: `http://127.0.0.1:9090`. */
  readonly baseUrl: string;
  /** Sent as a bearer token. */
  readonly token?: string | undefined;
  /** The profile that catalog and calls are narrowed to. */
  readonly profile?: string | undefined;
  /** How this program names itself to the service: `name/version`. Shown in records, and proves nothing. */
  readonly program?: string | undefined;
  /** The global `fetch` by default. */
  readonly fetch?: Fetch | undefined;
}

export interface Exchange {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON; numbers that have a text of their own, as `parseExact` gives them, as that. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export type Send = (exchange: Exchange) => Promise<Response>;

/** Resolves with answers that are no failure. @throws ApiError, UnreachableError, UnexpectedAnswerError */
export function createSend({ baseUrl, token, profile, program, fetch = globalThis.fetch }: ClientOptions): Send {
  const base = baseUrl.replace(/\/+$/, '');
  const standing: Record<string, string> = {
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    ...(profile === undefined ? {} : { 'X-Service-Profile': profile }),
    ...(program === undefined ? {} : { 'X-Service-Client': program }),
  };
  return async ({ method, path, headers = {}, body, signal }) => {
    const url = `${base}${path}`;
    const content = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(url, {
      method,
      headers: { ...standing, ...content, ...headers },
      ...(body === undefined ? {} : { body: writeExact(body) }),
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      throw signal?.aborted ? error : new UnreachableError(base, error);
    });
    if (response.ok && response.status !== 202) return response;
    const answer = await response
      .clone()
      .text()
      .then(parseJson)
      .catch(() => undefined);
    if (isErrorEnvelope(answer)) throw new ApiError(response.status, answer);
    if (!response.ok) throw new UnexpectedAnswerError(base, response.status);
    return response;
  };
}

function isErrorEnvelope(answer: unknown): answer is ErrorEnvelope {
  if (typeof answer !== 'object' || answer === null || !('ok' in answer) || answer.ok !== false) return false;
  const error = 'error' in answer ? answer.error : undefined;
  return typeof error === 'object' && error !== null && 'code' in error && 'message' in error;
}

/** The numbers of the document keep their texts. @throws UnexpectedAnswerError, UnreachableError */
export async function readDocument(response: Response, signal?: AbortSignal): Promise<unknown> {
  const text = await response.text().catch((error: unknown) => {
    throw signal?.aborted ? error : new UnreachableError(response.url, error);
  });
  try {
    return parseExact(text);
  } catch {
    throw new UnexpectedAnswerError(response.url, response.status);
  }
}

/** The body of an answer as text, until its reader goes. @throws UnreachableError when the connection breaks */
export async function* textOf(response: Response, signal?: AbortSignal): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield decoder.decode(value, { stream: true });
    }
  } catch (error) {
    throw signal?.aborted ? error : new UnreachableError(response.url, error);
  } finally {
    await reader.cancel().catch(() => {}); // the rest is not needed
  }
}
