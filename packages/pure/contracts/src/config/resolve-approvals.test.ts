// The approvals block: defaults, and what is wrong with each field in words.
import { describe, expect, it } from 'vitest';
import { resolveConfig } from './resolve-config.js';

const resolved = (approvals: object | null) => resolveConfig({ mcpServers: {}, approvals });
const approvalsOf = (approvals: object | null) => {
  const found = resolved(approvals);
  if (!found.ok) throw new Error(JSON.stringify(found.issues));
  return found.value.approvals;
};

const events = ['approval.created', 'approval.approved', 'approval.rejected', 'approval.expired'];
const ntfy = { name: 'phone', format: 'ntfy', topic: 't' };
const slack = { name: 'team', format: 'slack', urlEnv: 'HOOK' };
const telegram = { name: 'me', format: 'telegram', tokenEnv: 'BOT', chatId: '-100' };

it('fills in every default', () => {
  expect(approvalsOf(null)).toEqual({ publicUrl: null, notices: [] });
  const common = { events, match: ['*'], showsArguments: true };
  expect(approvalsOf({ publicUrl: 'https://Portico.example:8443/', notices: [ntfy, slack, telegram] })).toEqual({
    publicUrl: 'https://portico.example:8443',
    notices: [
      { ...common, ...ntfy, url: 'https://ntfy.sh', topicEnv: null, tokenEnv: null },
      { ...common, ...slack },
      { ...common, ...telegram, url: 'https://api.telegram.org' },
    ],
  });
});

it('takes what is given', () => {
  const given = { events: ['approval.created'], match: ['github.*'], arguments: false };
  const own = { url: 'http://127.0.0.1:8080', topic: null, topicEnv: 'TOPIC', tokenEnv: 'TOKEN' };
  expect(approvalsOf({ notices: [{ ...ntfy, ...given, ...own }] }).notices).toEqual([
    {
      ...{ name: 'phone', format: 'ntfy', events: ['approval.created'], match: ['github.*'], showsArguments: false },
      ...own,
    },
  ]);
});

const host = 'must be an http: or https: address without login, path and query';
const variable = 'must be the name of an environment variable; the value itself does not belong in the file';

describe('is refused with its path and a reason', () => {
  it.each([
    [{ publicUrl: 'portico.example' }, `approvals.publicUrl: ${host}`],
    [{ publicUrl: 'https://u:p@portico.example' }, `approvals.publicUrl: ${host}`],
    [{ publicUrl: 'https://portico.example/path' }, `approvals.publicUrl: ${host}`],
    [{ publicUrl: 'https://portico.example?token=x' }, `approvals.publicUrl: ${host}`],
    [{ publicUrl: 'http://a:99999' }, 'approvals.publicUrl: is not a valid URL'],
    [{ publicURL: 'http://a' }, 'approvals.publicURL: is no field that Portico knows; did you mean "publicUrl"?'],
    [{ notices: {} }, 'approvals.notices: expected Array, got object'],
    [
      { notices: [{ ...ntfy, format: 'sms' }] },
      'approvals.notices[0].format: expected ("ntfy" | "slack" | "telegram")',
    ],
    [{ notices: [{ ...ntfy, name: 'my phone' }] }, 'approvals.notices[0].name: must be 1 to 64 of A-Z a-z 0-9 _ -'],
    [{ notices: [ntfy, { ...slack, name: 'phone' }] }, 'approvals.notices[1].name: "phone" is the name of notices[0]'],
    [
      { notices: [{ ...ntfy, topic: null }] },
      'approvals.notices[0]: needs exactly one of `topic` and `topicEnv`; it has neither',
    ],
    [
      { notices: [{ ...ntfy, topicEnv: 'T' }] },
      'approvals.notices[0]: needs exactly one of `topic` and `topicEnv`; it has both',
    ],
    [{ notices: [{ ...ntfy, topic: 'a/b' }] }, 'approvals.notices[0].topic: must be 1 to 64'],
    [{ notices: [{ ...ntfy, url: 'https://ntfy.sh/topic' }] }, `approvals.notices[0].url: ${host}`],
    [{ notices: [{ ...ntfy, url: 'http://a:99999' }] }, 'approvals.notices[0].url: is not a valid URL'],
    [
      { notices: [{ ...ntfy, tokenEnv: 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2!' }] },
      `approvals.notices[0].tokenEnv: ${variable}`,
    ],
    [{ notices: [{ ...ntfy, token: 'tk_1' }] }, 'approvals.notices[0].token: is no field that Portico knows'],
    [{ notices: [{ ...ntfy, events: [] }] }, 'approvals.notices[0].events: expected a length of >=1, got 0'],
    [{ notices: [{ ...ntfy, events: ['created'] }] }, 'approvals.notices[0].events[0]: expected ("approval.created"'],
    [{ notices: [{ ...ntfy, match: [''] }] }, 'approvals.notices[0].match[0]: expected a length of >=1, got 0'],
    [{ notices: [{ ...ntfy, arguments: 'no' }] }, 'approvals.notices[0].arguments: expected boolean, got string'],
    [{ notices: [{ name: 'team', format: 'slack' }] }, 'approvals.notices[0].urlEnv: is required'],
    [
      { notices: [{ ...slack, urlEnv: 'https://hooks.slack.com/services/T/B/x' }] },
      `approvals.notices[0].urlEnv: ${variable}`,
    ],
    [{ notices: [{ ...slack, chatId: '1' }] }, 'approvals.notices[0].chatId: is no field that Portico knows'],
    [{ notices: [{ ...telegram, tokenEnv: '1:secret' }] }, `approvals.notices[0].tokenEnv: ${variable}`],
    [
      { notices: [{ ...telegram, chatId: 'bob' }] },
      'approvals.notices[0].chatId: must be the number of a chat, as a text',
    ],
    [{ notices: [{ ...telegram, chatId: 7 }] }, 'approvals.notices[0].chatId: expected string, got number'],
  ])('%j', (approvals, expected) => {
    const found = resolved(approvals);
    const issues = found.ok ? [] : found.issues.map(({ path, message }) => `${path}: ${message}`);
    expect(issues).toContainEqual(expect.stringContaining(expected));
    expect(JSON.stringify(issues)).not.toMatch(/hooks\.slack|tk_AgQ|1:secret/);
  });
});
