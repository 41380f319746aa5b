// The approvals block with its defaults filled in, and the checks of it that a schema cannot say.
import { type Issue, joinPath } from '../issues.js';
import { approvalEvents } from '../wire/approvals.js';
import type { RawApprovals, RawNoticeReceiver } from './approvals-schema.js';
import { type ApprovalsConfig, defaultApprovals, type NoticeReceiver } from './notice-receivers.js';

export function approvalsIssues(raw: RawApprovals | null | undefined): Issue[] {
  const publicUrl = raw?.publicUrl ?? null;
  const notices = raw?.notices ?? [];
  const badUrl = publicUrl !== null && !URL.canParse(publicUrl);
  return [
    ...(badUrl ? [{ path: joinPath(['approvals', 'publicUrl']), message: 'is not a valid URL' }] : []),
    ...notices.flatMap((receiver, index) => [
      ...nameIssues(notices, receiver.name, index),
      ...(receiver.format === 'ntfy' ? topicIssues(receiver, index) : []),
      ...(receiver.format !== 'slack' && receiver.url != null && !URL.canParse(receiver.url)
        ? [{ path: joinPath(['approvals', 'notices', index, 'url']), message: 'is not a valid URL' }]
        : []),
    ]),
  ];
}

function nameIssues(notices: readonly RawNoticeReceiver[], name: string, index: number): Issue[] {
  const first = notices.findIndex((other) => other.name === name);
  if (first === index) return [];
  const message = `"${name}" is the name of notices[${first}] already; give each receiver its own`;
  return [{ path: joinPath(['approvals', 'notices', index, 'name']), message }];
}

function topicIssues({ topic, topicEnv }: Extract<RawNoticeReceiver, { format: 'ntfy' }>, index: number): Issue[] {
  if ((topic == null) !== (topicEnv == null)) return [];
  const found = topic == null ? 'neither' : 'both';
  const message = `needs exactly one of \`topic\` and \`topicEnv\`; it has ${found}`;
  return [{ path: joinPath(['approvals', 'notices', index]), message }];
}

export function toApprovals(raw: RawApprovals | null | undefined): ApprovalsConfig {
  return {
    publicUrl: raw?.publicUrl == null ? defaultApprovals.publicUrl : new URL(raw.publicUrl).href.replace(/\/$/, ''),
    notices: (raw?.notices ?? []).map(toReceiver),
  };
}

function toReceiver(raw: RawNoticeReceiver): NoticeReceiver {
  const common = {
    name: raw.name,
    events: raw.events ?? approvalEvents,
    match: raw.match ?? ['*'],
    showsArguments: raw.arguments ?? true,
  };
  switch (raw.format) {
    case 'ntfy':
      return {
        ...common,
        format: 'ntfy',
        url: raw.url ?? 'https://ntfy.sh',
        topic: raw.topic ?? null,
        topicEnv: raw.topicEnv ?? null,
        tokenEnv: raw.tokenEnv ?? null,
      };
    case 'slack':
      return { ...common, format: 'slack', urlEnv: raw.urlEnv };
    case 'telegram':
      return {
        ...common,
        format: 'telegram',
        url: raw.url ?? 'https://api.telegram.org',
        tokenEnv: raw.tokenEnv,
        chatId: raw.chatId,
      };
  }
}
