// Messages as the relay reads them, and the id of an answer, read off the end of its line.
import { exactJson } from '@portico/contracts';
import { expect, test } from 'vitest';
import { isSentAgain } from './client-memory.js';
import { answeredId, parseExactMessage, parseMessage } from './messages.js';

test('parses numbers exactly only where a message is written again', () => {
  const line = (method: string) => `{"jsonrpc":"2.0","method":"${method}","params":{"n":1098765432109876543}}`;
  const again = line('initialize');
  expect(exactJson(parseExactMessage(again) ?? {})).toBe(again);
  expect(exactJson(parseMessage(again) ?? {})).toContain('1098765432109876500');
  const methods = ['tools/call', 'initialize', 'resources/subscribe', 'subscriptions/listen', 'ping'];
  expect(methods.filter((method) => isSentAgain({ method }))).toEqual(methods.slice(1, 4));
});

test('reads the id of a result as a service writes it', () => {
  expect(answeredId('{"result":{"content":[]},"jsonrpc":"2.0","id":17}')).toBe(17);
  expect(answeredId('{"result":{"id":1,"text":",\\"jsonrpc\\":\\"2.0\\",\\"id\\":2}"},"jsonrpc":"2.0","id":0}')).toBe(
    0,
  );
});

test.each([
  '{"jsonrpc":"2.0","id":17,"result":{}}',
  '{"result":{},"jsonrpc":"2.0","id":"17"}',
  '{"result":{},"jsonrpc":"2.0","id":1.5}',
  '{"jsonrpc":"2.0","id":17,"method":"ping"}',
  '{"jsonrpc":"2.0","id":17,"error":{"code":1,"message":""}}',
  '{"result":{"jsonrpc":"2.0","id":17}}',
  '{"result":{},"jsonrpc":"2.0","id":12345678901234567890}',
])('leaves every other line to be parsed: %s', (line) => {
  expect(answeredId(line)).toBeUndefined();
});
