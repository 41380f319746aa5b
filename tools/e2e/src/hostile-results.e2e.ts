// Results and arguments that are written to hold the event loop, against the real daemon: what is beyond the bounds of a
// message is refused by name, and ordinary results that are as large are passed on to the byte.
import { clientBounds, defaultLimits, upstreamBounds } from '@portico/contracts';
import { named, times } from '@portico-tools/fixtures/hostile-schemas';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { tool } from './support/upstreams.js';

/** Answers the call of a tool with what the expression in its arguments gives, as the text of its structured content. */
const evaluating = `
const tools = ${JSON.stringify([tool('evaluate')])};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const initialized = () => JSON.stringify({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  const results = { initialize: initialized, 'tools/list': () => JSON.stringify({ tools }), ping: () => '{}' };
  const result = results[method] ?? (() => '{"content":[],"structuredContent":{"value":' + eval(params.arguments.text) + '}}');
  const known = method === 'tools/call' || method in results;
  const answer = known ? '"result":' + result() : '"error":{"code":-32601,"message":"unknown"}';
  process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',' + answer + '}\\n');
});
`;

const names = (count: number) =>
  `JSON.stringify(Object.fromEntries(Array.from({ length: ${count} }, (_, at) => ['k' + at, at])))`;
const rows = (members: string) => `JSON.stringify(Array.from({ length: 60000 }, (_, at) => (${members})))`;

let daemon: Daemon;

beforeAll(async () => {
  daemon = await startDaemon({ mcpServers: { s: { command: process.execPath, args: ['-e', evaluating] } } });
  await daemon.connected();
});

const evaluate = (text: string) => daemon.call('s.evaluate', { text });

describe('a result', () => {
  const { messageNames } = defaultLimits;
  const tooManyNames = `the reply is made of more than ${messageNames} different names of members (limits.messageNames)`;
  const tooBare = `the reply is made of more than ${upstreamBounds.bareCharacters} characters outside of strings (a fixed limit)`;
  const tooManyEscapes = `the reply is made of more than ${upstreamBounds.escapes} escapes in strings (a fixed limit)`;

  it.each([
    ['400,000 names in one object', names(400_000), tooManyNames],
    [
      '400,000 names in 20,000 objects',
      `'[' + ${rows("Object.fromEntries(Array.from({ length: 7 }, (_, n) => ['k' + at + '_' + n, 1]))")} + ']'`,
      tooManyNames,
    ],
    ['a number of 20,000,000 digits', `'9'.repeat(20e6)`, tooBare],
    ['50,000,000 spaces', `'1' + ' '.repeat(50e6)`, tooBare],
    ['30,000,000 escapes', `'"' + '\\\\n'.repeat(30e6) + '"'`, tooManyEscapes],
    ['20,000,000 quotes in a text', `'"' + '\\\\"a'.repeat(20e6) + '"'`, tooManyEscapes],
  ])('of %s is refused by name', async (_, text, message) => {
    const { body } = await evaluate(text);
    expect([body.ok, body.error]).toMatchObject([false, { message: expect.stringContaining(message) }]);
  });

  it.each([
    ['60,000 rows', rows('{ id: at, name: "row " + at, ok: true, none: null, text: "x".repeat(40) }')],
    ['5 MB of one text', 'JSON.stringify("x".repeat(5e6))'],
    ['50 MB of lines with quotes', `JSON.stringify('He said "yes" again and again, and again.\\n'.repeat(1_200_000))`],
    ['as many names as may be', names(messageNames - 10)],
  ])('of %s is passed on to the byte', async (_, text) => {
    const { status, body } = await evaluate(text);
    // biome-ignore lint/security/noGlobalEval: the server evaluates the same expression
    const value: unknown = JSON.parse(eval(text));
    expect([
      status,
      JSON.stringify(body.data) === JSON.stringify({ content: [], structuredContent: { value } }),
    ]).toEqual([200, true]);
  });

  it('may have more names where limits.messageNames says so, from the next reply on', async () => {
    const text = names(messageNames + 1000);
    expect((await evaluate(text)).body.ok).toBe(false);
    const own = await startDaemon({
      mcpServers: { s: { command: process.execPath, args: ['-e', evaluating] } },
      limits: { messageNames: messageNames + 2000 },
    });
    await own.connected();
    expect((await own.call('s.evaluate', { text })).body.ok).toBe(true);
  });
});

describe('arguments', () => {
  it('of more names than a message may have are refused by name', async () => {
    const { status, body } = await daemon.call('s.evaluate', {
      text: '1',
      list: times(3000, (at) => named(20, (n) => [`k${at}_${n}`, 1])),
    });
    const message = `the body is made of more than ${clientBounds.names} different names of members (a fixed limit)`;
    expect([status, body.error]).toMatchObject([400, { code: 'INVALID_ARGS', message }]);
  });

  it('with a text of JSON 400,000 levels deep are passed on, and recorded without what is in it', async () => {
    const nested = `${'{"a":'.repeat(400_000)}null${'}'.repeat(400_000)}`;
    expect((await daemon.call('s.evaluate', { text: '1', nested })).status).toBe(200);
    const { body } = await daemon.get<{ readonly events: readonly { readonly sanitized_args?: unknown }[] }>(
      '/v1/audit/events?limit=1',
    );
    expect(body.events[0]?.sanitized_args).toEqual({ text: '1', nested: '[REDACTED]' });
  });
});
