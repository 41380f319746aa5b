// The bytes of a result that the SDK has written over HTTP: its numbers as the server wrote them, and no trace of how
// that was done.
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { parseExact } from '@portico/contracts';
import { expect, it } from 'vitest';
import { createExactResponses } from './exact-responses.js';

const mark = 'b2f0'.repeat(8);
const result = `{"a":[1.0,{"b":1098765432109876543}],"s":"1.0","t":"\\"1e400\\"","__proto__":{"far":1e400},"n":null}`;
const written = `{"jsonrpc":"2.0","id":1,"result":${result}}`;

/** The text of the answer that the SDK makes of a message. */
async function answerTo(message: JSONRPCMessage, type: string, toBody = (text: string) => text): Promise<string> {
  const exact = createExactResponses(mark);
  let sent = '';
  const transport = exact.mark({
    async send(given: JSONRPCMessage) {
      sent = JSON.stringify(given);
    },
  });
  await transport.send(message);
  const response = new Response(toBody(sent), { status: 207, headers: { 'content-type': type, 'x-own': '1' } });
  const restored = await exact.restore(response);
  expect([restored.status, restored.headers.get('x-own')]).toEqual([207, '1']);
  return restored.text();
}

const message = () => parseExact(written) as unknown as JSONRPCMessage; // as the text has it

it('numbers are unchanged in an answer of JSON', async () => {
  expect(await answerTo(message(), 'application/json')).toBe(written);
});

it('numbers are unchanged in an event', async () => {
  const toEvent = (text: string) => `event: message\ndata: ${text}\n\n`;
  expect(await answerTo(message(), 'text/event-stream', toEvent)).toBe(toEvent(written));
});

it('a string of a server that looks like a mark stays one', async () => {
  const other = createExactResponses('0'.repeat(32));
  const text = `{"jsonrpc":"2.0","id":1,"result":{"a":"${mark}1.0"}}`;
  const response = await other.restore(new Response(text, { headers: { 'content-type': 'application/json' } }));
  expect(await response.text()).toBe(text);
});

it('an answer without a body stays one', async () => {
  const response = new Response(null, { status: 202 });
  expect(await createExactResponses(mark).restore(response)).toBe(response);
});
