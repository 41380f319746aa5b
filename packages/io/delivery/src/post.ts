// One try at a webhook, and whether another may help. Follows no redirect and reads no response body.
import { refusalIn } from '@portico/egress';
import type { PostRequest } from './post-request.js';
import { parseRetryAfter } from './siem/backoff.js';

/** Why there is no answer. */
export interface Unanswered {
  readonly kind: 'unanswered';
  readonly reason: string;
  /** Another try would end alike, as where a rule of Portico refuses the address. */
  readonly isFinal: boolean;
}

export type TryOutcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | {
      readonly kind: 'refused';
      readonly status: number;
      /** The receiver's `Retry-After`. */
      readonly retryAfterMs?: number;
    }
  | Unanswered;

/** Sends the request once and resolves with the answer's head. Rejects with the error of fetch. */
export function send(
  fetchOnce: typeof fetch,
  { url, headers, body }: PostRequest,
  signal: AbortSignal,
): Promise<Response> {
  return fetchOnce(url, { method: 'POST', headers, body, redirect: 'manual', signal });
}

/** Frees the socket of an answer whose body is not needed. */
export function dropBody(response: Response): void {
  // The answer has been given, so that a failure here changes nothing.
  void response.body?.cancel().catch(() => {});
}

/** One try. Rejects with the error of fetch. */
export async function post(fetchOnce: typeof fetch, request: PostRequest, signal: AbortSignal): Promise<TryOutcome> {
  const response = await send(fetchOnce, request, signal);
  dropBody(response);
  return toTryOutcome(response);
}

export function toTryOutcome({ ok, status, headers }: Response): TryOutcome {
  if (ok) return { kind: 'delivered', status };
  return { kind: 'refused', status, retryAfterMs: parseRetryAfter(headers.get('retry-after'), Date.now()) };
}

/** Statuses under 500 for a temporary condition: Request Timeout, Too Early, Too Many Requests. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

export function isWorthRepeating(outcome: TryOutcome): boolean {
  switch (outcome.kind) {
    case 'delivered':
      return false;
    case 'refused':
      return outcome.status >= 500 || passingStatuses.has(outcome.status);
    case 'unanswered':
      return !outcome.isFinal;
  }
}

/**
 * A try that got no answer, by an error code such as ECONNREFUSED, or by the rule that refuses the address. The reason is
 * never another message, which may hold a URL or a header.
 */
export function toUnanswered(error: unknown): Unanswered {
  const refusal = refusalIn(error);
  if (refusal !== undefined) return { kind: 'unanswered', reason: refusal.message, isFinal: true };
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined);
  const reason = code === undefined ? 'the request failed' : `the request failed with ${code}`;
  return { kind: 'unanswered', reason, isFinal: false };
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** How a refusal by status reads in a log. */
export function refusedReason(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return `answered with status ${status}${isRedirect ? '; redirects are not followed' : ''}`;
}
