// Tickets whose texts try to be more than texts.
import type { ApprovalNotice } from '@portico/contracts';
import { createRedactor, defaultRedactKeys, showArguments, visibleText, wideLimits } from '@portico/policy-engine';

/** Each is a name, a description, an argument, an operator and a reason in turn. */
export const hostileTexts: readonly string[] = [
  'plain',
  '<!channel> <!here> <@U012AB3CD> <#C012AB3CD>',
  '<https://evil.example|Open the ticket>',
  '@all @channel @someone /start #tag $CASH mail@evil.example',
  '*bold* _it_ ~s~ `code` ```pre``` [text](https://evil.example) > quote',
  '<b>bold</b> <a href="https://evil.example">x</a> &lt;!channel&gt; &amp;',
  'X-Title: a\r\nX-Actions: http, Approve, https://evil.example\r\n\r\nbody',
  '\u202egnp.exe \u200b\u2066 \u0000\u001b[2J \u2028',
  'Grüße, 世界 🚀',
  '"quoted" \\ \\u{202e}',
  '\\'.repeat(5000),
  '🚀'.repeat(5000),
  '"'.repeat(5000),
  '\u0001'.repeat(5000),
];

/** A notice in which a text is wherever a text of others can be. */
export function noticeOf(text: string, event: ApprovalNotice['event'] = 'approval.created'): ApprovalNotice {
  const redactor = createRedactor(defaultRedactKeys);
  const isOver = event === 'approval.approved' || event === 'approval.rejected';
  return {
    event,
    timestamp: 1_790_000_000,
    trace_id: 'a'.repeat(32),
    link: 'http://127.0.0.1:9090/ui/approvals?id=appr-1790000000-1',
    approval: {
      id: 'appr-1790000000-1',
      kind: 'tool',
      capability_id: text,
      server_id: 's',
      sanitized_args: {},
      status: isOver
        ? { status: 'rejected', operator: text, timestamp: 1_790_000_001, reason: text }
        : { status: 'pending' },
      created_at: 1_790_000_000,
      expires_at: 1_790_000_300,
      request_id: null,
      rule: text,
      client: { name: text.slice(0, 64) },
      view: {
        arguments: showArguments({ [text]: text, list: [text], password: 'p' }, redactor, wideLimits),
        definition_digest: null,
        description: visibleText(text, 20_000).text,
        reasked: true,
        changes: [{ what: 'description', before: visibleText(text, 2000).text, after: null }],
        changes_complete: true,
      },
    },
  };
}
