// One request with records to one target, and its outcome. Never rejects and never repeats.
import type { AuditRecord } from '@portico/audit-chain';
import type { SiemTarget } from '@portico/contracts';
import { send } from '../post.js';
import { AddressError, type PostRequest } from '../post-request.js';
import { createTimeLimit } from '../time-limit.js';
import { readAnswer, type SiemOutcome } from './siem-answer.js';
import type { SiemClock } from './siem-clock.js';
import { toSiemRequest } from './siem-request.js';

export interface SendOptions {
  readonly fetch: typeof fetch;
  /** Limit of one request and its answer. */
  readonly timeoutMs: number;
  readonly clock: SiemClock;
}

export type SendRecords = (records: readonly AuditRecord[], signal: AbortSignal) => Promise<SiemOutcome>;

export function createSendRecords(target: SiemTarget, { fetch, timeoutMs, clock }: SendOptions): SendRecords {
  const limited = createTimeLimit(timeoutMs);

  return async (records, signal) => {
    let request: PostRequest;
    try {
      request = toSiemRequest(target, records);
    } catch (error) {
      return { kind: 'unanswered', reason: unsentReason(error), isFinal: true };
    }
    return limited(async (limitedSignal): Promise<SiemOutcome> => {
      const response = await send(fetch, request, limitedSignal);
      return readAnswer(response, target.kind === 'splunk_hec', clock.epochMs());
    }, signal);
  };
}

function unsentReason(error: unknown): string {
  return error instanceof AddressError ? error.message : 'the request could not be built';
}
