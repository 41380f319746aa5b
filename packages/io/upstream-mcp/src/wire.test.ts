import { expect, it } from 'vitest';
import { isReply } from './wire.js';

it.each([
  ['{"id":1,"result":{}}', true],
  ['{"id":"1","error":{}}', true],
  ['{"id":null,"error":{}}', true],
  ['{"id":{"toString":1},"result":{}}', false],
  ['{"id":[1],"result":{}}', false],
  ['{"id":true,"result":{}}', false],
  ['{"result":{}}', false],
  ['{"id":1,"method":"ping"}', false],
  ['{"id":1}', false],
])('whether %s is a reply: %s', (text, expected) => {
  expect(isReply(JSON.parse(text))).toBe(expected);
});
