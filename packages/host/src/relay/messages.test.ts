// The id of an answer, read off the end of its line.
import { expect, test } from 'vitest';
import { answeredId } from './messages.js';

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
