// Notices of every format, with tickets whose texts try to be markup, mentions, links, headers and lines.
import type { NoticeReceiver } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { testMessage, toNoticeMessage } from './message.js';
import { originOf, toNoticeRequest } from './notice-request.js';
import { maxNtfyMessageBytes, maxNtfyMessageJsonBytes, toNtfyBody } from './ntfy.js';
import { escapeSlack, maxSlackText, toSlackBody } from './slack.js';
import { maxTelegramText, toTelegramBody } from './telegram.js';
import { hostileTexts, noticeOf } from './testing/hostile.js';

const events = ['approval.created', 'approval.approved', 'approval.rejected', 'approval.expired'] as const;
const cases = events.flatMap((event) => hostileTexts.map((text) => [event, text.slice(0, 60), text] as const));
const messageOf = (text: string, event: (typeof events)[number]) => toNoticeMessage(noticeOf(text, event), true);
// Characters that no line may contain unescaped: controls but the line break, and characters that hide or reorder.
const hidden = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}]|\p{Cs}/u;

describe.each(cases)('%s with %j', (event, _start, text) => {
  const message = messageOf(text, event);

  it('says nothing hidden, and keeps facts on one line', () => {
    const values = [message.subject, ...message.facts.map(([, value]) => value)];
    for (const value of values) expect(value).not.toMatch(/\n/);
    for (const shown of [...values, ...message.lines]) expect(shown).not.toMatch(hidden);
  });

  it('is JSON for ntfy within its limits, with one action that opens the ticket', () => {
    const body = toNtfyBody(message, 'topic');
    expect(Buffer.byteLength(body.message)).toBeLessThanOrEqual(maxNtfyMessageBytes);
    expect(Buffer.byteLength(JSON.stringify(body.message))).toBeLessThanOrEqual(maxNtfyMessageJsonBytes);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(2 * maxNtfyMessageBytes);
    expect(Object.keys(body).sort()).toEqual(['actions', 'click', 'message', 'priority', 'tags', 'title', 'topic']);
    expect(body.actions).toEqual([{ action: 'view', label: 'Open', url: message.link }]);
    expect([body.click, body.topic, body.tags]).toEqual([message.link, 'topic', ['portico']]);
    expect(`${body.title}${body.message}`).not.toMatch(hidden);
  });

  it('is for Slack in elements that it does not parse, and escaped where it does', () => {
    const body = toSlackBody(message);
    expect(body.text).not.toMatch(/[<>]/);
    expect(body.text.replace(/&(amp|lt|gt);/g, '')).not.toContain('&');
    expect(body).toMatchObject({ mrkdwn: false, parse: 'none', unfurl_links: false, unfurl_media: false });
    const elements = body.blocks.flatMap((block) => block.elements.flatMap((part) => part.elements));
    expect(new Set(elements.map(({ type }) => type))).toEqual(new Set(['text', 'link']));
    expect(elements.filter(({ type }) => type === 'link')).toEqual([
      { type: 'link', url: message.link, text: 'Open the ticket' },
    ]);
    for (const element of elements) expect(element.text.length).toBeLessThanOrEqual(maxSlackText);
  });

  it('is for Telegram a text in which everything of others is code', () => {
    const { text: sent, entities, ...rest } = toTelegramBody(message, '42');
    expect(rest).toEqual({ chat_id: '42', link_preview_options: { is_disabled: true } });
    expect(sent.length).toBeLessThanOrEqual(maxTelegramText);
    let own = '';
    let at = 0;
    for (const { offset, length, type } of entities) {
      expect(offset).toBeGreaterThanOrEqual(at);
      own += sent.slice(at, offset) + (type === 'bold' ? sent.slice(offset, offset + length) : '');
      at = offset + length;
    }
    own += sent.slice(at);
    const names = message.facts.map(([name]) => `\n${name}: `).join('');
    const lines = message.lines.length === 0 ? '' : '\n';
    expect(own).toBe(`${message.title}\n${names}${lines}\n${message.link}`);
  });
});

it('shows who decided and why, and no arguments then', () => {
  const message = messageOf('ann', 'approval.rejected');
  expect(message).toMatchObject({ title: 'Rejected', subject: 'ann', lines: [], isUrgent: false });
  expect(message.facts).toContainEqual(['By', 'ann']);
  expect(message.facts).toContainEqual(['Reason', 'ann']);
});

it('shows redacted arguments, or no arguments if the receiver has them left out', () => {
  const notice = noticeOf('t');
  expect(toNoticeMessage(notice, true).lines).toContain('password: [REDACTED]');
  expect(toNoticeMessage(notice, false).lines).toEqual([]);
});

it('has no link where no console is served', () => {
  const message = testMessage(undefined);
  expect(toNtfyBody(message, 't')).not.toHaveProperty('actions');
  expect(JSON.stringify(toSlackBody(message))).not.toContain('"link"');
  expect(toTelegramBody(message, '1').text).not.toContain('http');
});

it('escapes for Slack what it escapes', () => {
  expect(escapeSlack('<!channel> & <@U1>')).toBe('&lt;!channel&gt; &amp; &lt;@U1&gt;');
});

const common = { name: 'phone', events: [], match: ['*'], showsArguments: true } as const;
const ntfy: NoticeReceiver = {
  ...common,
  format: 'ntfy',
  url: 'https://ntfy.example/',
  topic: null,
  topicEnv: 'TOPIC',
  tokenEnv: 'TOKEN',
};
const slack: NoticeReceiver = { ...common, format: 'slack', urlEnv: 'HOOK' };
const telegram: NoticeReceiver = {
  ...common,
  format: 'telegram',
  url: 'https://telegram.example/',
  tokenEnv: 'TOKEN',
  chatId: '42',
};
const env = { TOPIC: 'hush', TOKEN: '1:a/b', HOOK: 'https://hooks.example/services/T/B/x' };

it.each([
  [ntfy, 'https://ntfy.example/', 'https://ntfy.example', 'Bearer 1:a/b'],
  [slack, env.HOOK, 'https://hooks.example', null],
  [telegram, 'https://telegram.example/bot1:a%2Fb/sendMessage', 'https://telegram.example', null],
] as const)('takes secrets from the environment: %j', (receiver, url, origin, authorization) => {
  const request = toNoticeRequest(receiver, env, testMessage(undefined));
  expect([request.url, request.headers.get('authorization')]).toEqual([url, authorization]);
  expect([...request.headers.keys()].sort()).toEqual(
    authorization === null ? ['content-type'] : ['authorization', 'content-type'],
  );
  expect(originOf(receiver, env)).toBe(origin);
});

it.each([
  [ntfy, /^environment variable TOPIC, which holds the topic, is unset or empty$/],
  [slack, /^environment variable HOOK, which holds the address, is unset/],
  [telegram, /^environment variable TOKEN, which holds the token, is unset/],
] as const)('names the variable that is not set: %j', (receiver, message) => {
  expect(() => toNoticeRequest(receiver, {}, testMessage(undefined))).toThrow(message);
});
