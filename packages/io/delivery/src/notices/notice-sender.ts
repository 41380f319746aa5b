// Sends notices of approvals to the receivers of the configuration, and counts how that went.
import type { ApprovalNotice, NoticeReceiver, NoticeStanding, NoticeTrial } from '@portico/contracts';
import { createOutbox, failureReason, type OutboxOptions } from '../outbox.js';
import { send, toTryOutcome } from '../post.js';
import { AddressError } from '../post-request.js';
import { createTimeLimit } from '../time-limit.js';
import { testMessage, toNoticeMessage } from './message.js';
import { originOf, toNoticeRequest } from './notice-request.js';
import { readStart } from './read-start.js';

export interface NoticeSenderOptions extends Omit<OutboxOptions, 'noun'> {
  /** Where the variables of receivers are looked up, at each notice. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface NoticeSender {
  /** Returns at once. The notices of one ticket reach each receiver in order; one receiver never waits for another. */
  send(receiver: NoticeReceiver, notice: ApprovalNotice): void;
  /** Sends a test message once. Never rejects. @param link that it opens */
  test(receiver: NoticeReceiver, link: string | undefined): Promise<NoticeTrial>;
  /** How deliveries to a receiver went, since the start. */
  standing(receiver: NoticeReceiver): NoticeStanding;
  /** Counts by the name of a receiver, those that are configured no more among them. */
  counts(): readonly NoticeCount[];
  /** Waits `graceMs` at most for what is on its way, then gives up the rest. */
  close(graceMs: number): Promise<void>;
}

export interface NoticeCount {
  readonly receiver: string;
  readonly delivered: number;
  readonly failed: number;
}

interface Counts {
  delivered: number;
  failed: number;
  lastError: string | null;
}

/** Creates the sender of notices to ntfy, Slack and Telegram, with retries and counts for each receiver. */
export function createNoticeSender({ env, ...options }: NoticeSenderOptions): NoticeSender {
  const outbox = createOutbox({ ...options, noun: 'notice' });
  const countsByTarget = new Map<string, Counts>();
  const limited = createTimeLimit(options.timeoutMs ?? 10_000);

  const countsOf = (name: string): Counts => {
    const known = countsByTarget.get(name) ?? { delivered: 0, failed: 0, lastError: null };
    countsByTarget.set(name, known);
    return known;
  };
  const note = (name: string, reason: string | undefined) => {
    const counts = countsOf(name);
    if (reason === undefined) counts.delivered += 1;
    else counts.failed += 1;
    counts.lastError = reason ?? null;
  };

  async function tryOnce(receiver: NoticeReceiver, link: string | undefined) {
    try {
      const request = toNoticeRequest(receiver, env, testMessage(link));
      return await limited(async (signal) => {
        const response = await send(options.fetch, request, signal);
        return { ...toTryOutcome(response), text: await readStart(response, maxAnswer) };
      }, new AbortController().signal);
    } catch (error) {
      const reason = error instanceof AddressError ? error.message : 'the request could not be built';
      return { kind: 'unanswered', reason, isFinal: true } as const;
    }
  }

  return {
    send(receiver, notice) {
      const { name, showsArguments } = receiver;
      outbox.send({
        event: notice.event,
        approvalId: notice.approval.id,
        receiver: name,
        orderKey: `${name} ${notice.approval.id}`,
        fields: { receiver: name, origin: originOf(receiver, env) },
        request: () => toNoticeRequest(receiver, env, toNoticeMessage(notice, showsArguments)),
        onEnded: (reason) => note(name, reason),
      });
    },
    async test(receiver, link) {
      const { name, format } = receiver;
      const common = { name, format, origin: originOf(receiver, env) };
      const tried = await tryOnce(receiver, link);
      if (tried.kind === 'unanswered') return { ...common, delivered: false, status: null, message: tried.reason };
      const { status, text } = tried;
      const said = text === '' && tried.kind === 'refused' ? failureReason(tried) : text;
      return { ...common, delivered: tried.kind === 'delivered', status, message: said };
    },
    standing(receiver) {
      const { name, format } = receiver;
      const { delivered, failed, lastError } = countsByTarget.get(name) ?? none;
      return { name, format, origin: originOf(receiver, env), delivered, failed, last_error: lastError };
    },
    counts: () => [...countsByTarget].map(([receiver, { delivered, failed }]) => ({ receiver, delivered, failed })),
    close: outbox.close,
  };
}

const none: Counts = Object.freeze({ delivered: 0, failed: 0, lastError: null });
/** Characters of an answer that are shown. */
const maxAnswer = 500;
