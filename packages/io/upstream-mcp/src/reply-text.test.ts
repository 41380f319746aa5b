// The text of a result is taken out of its message only where its start and end are certain.
import { parseJson } from '@portico/contracts';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { HttpResponse } from './http-client.js';
import { createReplyReader } from './http-reply.js';
import { OutOfBounds, parseMessages, type RpcMessage, resultText } from './wire.js';

const textOf = ([message]: readonly RpcMessage[]) => message?.[resultText];

describe('the text of a result', () => {
  const result = '{"a":[1.0,-0,1e400,1098765432109876543],"b":"\\u0041"}';

  test.each([
    ['its id before the result', `{"jsonrpc":"2.0","id":7,"result":${result}}`],
    ['its id behind the result', `{"result":${result},"jsonrpc":"2.0","id":7}`],
  ])('is kept of a reply with %s', (_what, line) => {
    const messages = parseMessages(line);

    expect(messages).toMatchObject([{ jsonrpc: '2.0', id: 7, result: JSON.parse(result) }]);
    expect(textOf(messages)).toBe(result);
  });

  test.each([
    ['other members', `{"jsonrpc":"2.0","id":7,"result":${result},"ok":false}`],
    ['members before', `{"ok":false,"jsonrpc":"2.0","id":7,"result":${result}}`],
    ['an id before and behind', `{"jsonrpc":"2.0","id":6,"result":${result},"jsonrpc":"2.0","id":7}`],
    ['an id that is a text', `{"jsonrpc":"2.0","id":"7","result":${result}}`],
    ['an id with a fraction', `{"jsonrpc":"2.0","id":7.0,"result":${result}}`],
    ['an id of sixteen digits', `{"jsonrpc":"2.0","id":1234567890123456,"result":${result}}`],
    ['white space before the result', `{"jsonrpc":"2.0","id":7,"result": ${result}}`],
    ['white space behind the result', `{"jsonrpc":"2.0","id":7,"result":${result} }`],
    ['white space behind it', `{"jsonrpc":"2.0","id":7,"result":${result}} `],
    ['white space everywhere', `{ "jsonrpc" : "2.0" , "id" : 7 , "result" : ${result} }`],
    ['another spelling of its name', `{"jsonrpc":"2.0","id":7,"\\u0072esult":${result}}`],
    ['its own idea of the text', `{"jsonrpc":"2.0","id":7,"result":${result},"resultText":"{}"}`],
    ['a key that looks like that of the text', `{"jsonrpc":"2.0","id":7,"result":${result},"Symbol(resultText)":"{}"}`],
  ])('is found in a reply with %s, which is read as a whole', (_what, line) => {
    const messages = parseMessages(line);

    expect(JSON.stringify(messages)).toBe(JSON.stringify([JSON.parse(line)]));
    expect(textOf(messages)).toBe(result);
  });

  test.each([
    ['a second result', `{"jsonrpc":"2.0","id":7,"result":{},"result":${result}}`],
    ['a second result behind', `{"result":{},"result":${result},"jsonrpc":"2.0","id":7}`],
    ['a second result in another spelling', `{"jsonrpc":"2.0","id":7,"result":{},"\\u0072esult":${result}}`],
    ['an error', `{"jsonrpc":"2.0","id":7,"result":${result},"error":{"code":1,"message":""}}`],
    ['a result that is no object', '{"jsonrpc":"2.0","id":7,"result":[1.0]}'],
    ['numbers that are written alike', '{"jsonrpc":"2.0","id":7,"ok":false,"result":{"a":1}}'],
  ])('is not kept of a reply with %s, which is read as a whole', (_what, line) => {
    const messages = parseMessages(line);

    expect(messages).toEqual([JSON.parse(line)]);
    expect(textOf(messages)).toBeUndefined();
  });

  test.each([
    '{"jsonrpc":"2.0","id":7,"result":{}}}',
    '{"jsonrpc":"2.0","id":7,"result":{}',
    '{"jsonrpc":"2.0","id":7,"result":}',
    '{"jsonrpc":"2.0","id":7,"result":{}}{}',
    '{"jsonrpc":"2.0","id":07,"result":{}}',
    '{"jsonrpc":"2.0","id":7,"result":{"a":NaN}}',
    '{"result":}',
    '{"result":{},"jsonrpc":"2.0","id":}',
    '{"result":{}},"jsonrpc":"2.0","id":7}',
  ])('%s is no JSON', (line) => {
    expect(() => parseMessages(line)).toThrow(SyntaxError);
  });

  it('is bounded as every message is', () => {
    const deep = `${'[{"a":'.repeat(130)}1${'}]'.repeat(130)}`;
    expect(() => parseMessages(`{"jsonrpc":"2.0","id":7,"result":{"a":${deep}}}`)).toThrow(OutOfBounds);
  });
});

/** Pieces that servers write, and those who would be read in two ways. */
const piece = fc.oneof(
  fc.json(),
  fc.constantFrom(
    '{"jsonrpc":"2.0","id":7,"result":',
    '{"result":',
    ',"jsonrpc":"2.0","id":7}',
    ',"jsonrpc":"2.0","id":',
    '"result":',
    '{"a":1,"a":2}',
    '"ok":false',
    ',',
    '{',
    '}',
    '"',
    '\\',
    '\r',
    ' ',
    '7',
    '1e400',
    '-0',
    'NaN',
    '{"__proto__":{"a":1}}',
    '"\\ud800"',
    '\ud800',
  ),
);
const line = fc.oneof(
  fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join('')),
  fc.array(piece, { maxLength: 3 }).map((pieces) => `{"jsonrpc":"2.0","id":7,"result":${pieces.join('')}}`),
  fc.array(piece, { maxLength: 3 }).map((pieces) => `{"result":${pieces.join('')},"jsonrpc":"2.0","id":7}`),
);

const triedTo = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

it('never changes how a line is read, and is JSON of the very result', () => {
  let kept = 0;
  const check = (text: string) => {
    const messages = triedTo(() => parseMessages(text)) ?? [];
    const whole: unknown = triedTo(() => parseJson(text));
    const own = textOf(messages);
    if (own === undefined) return;
    kept += 1;
    const { [resultText]: _, ...message } = messages[0] as RpcMessage; // it has the text
    expect(message).toEqual(whole);
    expect(parseJson(own)).toEqual(message.result);
  };
  fc.assert(fc.property(line, check), { numRuns: 5000 });
  expect(kept).toBeGreaterThan(20);
});

test.each([
  ['application/json', (text: string) => text],
  ['text/event-stream', (text: string) => `event: message\ndata: ${text}\n\n`],
])('a reply over HTTP as %s keeps the text of its result', async (type, body) => {
  const result = '{"n":1.0}';
  const response: Pick<HttpResponse, 'status' | 'header' | 'read' | 'destroy'> = {
    status: 200,
    header: () => type,
    read(reader) {
      reader.onChunk(Buffer.from(body(`{"jsonrpc":"2.0","id":7,"result":${result}}`)));
      queueMicrotask(() => reader.onEnd());
    },
    destroy() {},
  };
  const messages: RpcMessage[] = [];
  const onMessage = (message: RpcMessage) => void messages.push(message);
  await new Promise<void>((resolve) => {
    createReplyReader('the server', 1000, { onMessage, onLog() {} }).read(response, 7, {}, () => resolve());
  });
  expect(textOf(messages)).toBe(result);
});
