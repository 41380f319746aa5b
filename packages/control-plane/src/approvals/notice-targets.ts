// The receivers of a notice: the webhook gets all of them, a receiver those of its events and patterns.
import type { ApprovalNotice, Config, NoticeReceiver, Webhook } from '@portico/contracts';
import { compilePatterns } from '@portico/policy-engine';

/** A receiver has a `format`. */
export type NoticeTarget = Webhook | NoticeReceiver;

export function noticeTargets(
  { policy, approvals }: Pick<Config, 'policy' | 'approvals'>,
  event: ApprovalNotice['event'],
  capabilityId: string,
): readonly NoticeTarget[] {
  const receivers = approvals.notices.filter(
    ({ events, match }) => events.includes(event) && compilePatterns(match).match(capabilityId) !== undefined,
  );
  return policy.webhook === null ? receivers : [policy.webhook, ...receivers];
}
