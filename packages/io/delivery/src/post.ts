// One try at a webhook, and whether another may help. Follows no redirect and reads no response body.
import type { WebhookRequest } from './webhook-request.js';

export type TryOutcome =
  | { readonly kind: 'delivered'; readonly status: number }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'unanswered'; readonly reason: string };

/** Sends the request once. Rejects with whatever fetch rejects with. */
export async function post(
  fetchOnce: typeof fetch,
  { url, headers, body }: WebhookRequest,
  signal: AbortSignal,
): Promise<TryOutcome> {
  const response = await fetchOnce(url, { method: 'POST', headers, body, redirect: 'manual', signal });
  // Frees the socket. The answer has been given, so that a failure here changes nothing.
  void response.body?.cancel().catch(() => {});
  return { kind: response.ok ? 'delivered' : 'refused', status: response.status };
}

/** Statuses under 500 that tell of a passing condition: Request Timeout, Too Early, Too Many Requests. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

export function isWorthRepeating(outcome: TryOutcome): boolean {
  switch (outcome.kind) {
    case 'delivered':
      return false;
    case 'refused':
      return outcome.status >= 500 || passingStatuses.has(outcome.status);
    case 'unanswered':
      return true;
  }
}

/** Why a try got no answer: an error code such as ECONNREFUSED. Never a message, which may hold a URL or a header. */
export function unansweredReason(error: unknown): string {
  const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined);
  return code === undefined ? 'the request failed' : `the request failed with ${code}`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
