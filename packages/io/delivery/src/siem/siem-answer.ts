// Interprets a target's answer. Only Splunk's number of its body is used, since the rest may hold anything.
import { parseJson } from '@portico/contracts';
import { dropBody, refusedReason, type Unanswered } from '../post.js';
import type { Blame } from './attempt.js';
import { parseRetryAfter } from './backoff.js';

export type SiemOutcome =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'refused';
      readonly status: number;
      /** Splunk's own, see "Troubleshoot HTTP Event Collector" in its documentation. */
      readonly code?: number;
      readonly retryAfterMs: number;
    }
  | Unanswered;

export type Failure = Exclude<SiemOutcome, { readonly kind: 'delivered' }>;

const maxAnswerBytes = 65_536;

export async function readAnswer(response: Response, isSplunk: boolean, epochMs: number): Promise<SiemOutcome> {
  const code = isSplunk ? await readCode(response) : undefined;
  dropBody(response);
  if (response.ok && (code === undefined || code === 0)) return { kind: 'delivered' };
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), epochMs);
  return { kind: 'refused', status: response.status, retryAfterMs, ...(code === undefined ? {} : { code }) };
}

/** Bad Request, Content Too Large, Unprocessable Content: statuses that a record can cause. */
export function blameOf(failure: Failure): Blame {
  if (failure.kind === 'unanswered') return 'unclear';
  if (failure.status === 413) return 'too_large';
  return failure.status === 400 || failure.status === 422 ? 'content' : 'unclear';
}

/** Failures with the same name may have the same cause. */
export function failureName(failure: Failure): string {
  return failure.kind === 'unanswered' ? failure.reason : `status ${failure.status}`;
}

export function failureReason(failure: Failure): string {
  if (failure.kind === 'unanswered') return failure.reason;
  const code = failure.code === undefined ? '' : ` and code ${failure.code}`;
  return `${refusedReason(failure.status)}${code}`;
}

/** Rejects where the connection breaks: what the target has done is not known then. */
async function readCode(response: Response): Promise<number | undefined> {
  const answer = parse(await readStart(response));
  if (typeof answer !== 'object' || answer === null || !('code' in answer)) return undefined;
  return typeof answer.code === 'number' ? answer.code : undefined;
}

/** The first 64 KiB at most; leaving the loop cancels the rest. */
async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytesLeft = maxAnswerBytes;
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk.subarray(0, bytesLeft), { stream: true });
    bytesLeft -= chunk.byteLength;
    if (bytesLeft <= 0) break;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined; // an answer of something that stands before or in place of Splunk
  }
}
