// The listener knows the size of event streams for a connection.
import { expect, it } from 'vitest';
import { startFacade } from '../testing/start-facade.js';
import { EventRoom } from './kept-events.js';
import { SessionStreams } from './session-streams.js';
import { toStreamResponse } from './stream-response.js';

const size = 100_000;
const file = { capabilityAliases: { work: { target: 's.work', passthrough: true } } };

it('counts what a client has not read of an answer for its connection', async () => {
  const s = {
    definitions: { tools: [{ name: 'work', inputSchema: { type: 'object' } }] },
    handle: () => ({ content: [{ type: 'text', text: 'x'.repeat(size) }] }),
  };
  const { http, openSession } = await startFacade({ servers: { s }, file, http: { jsonResponse: false } });
  const { headers } = await openSession();
  const connection = {} as NonNullable<NonNullable<Parameters<typeof http.fetch>[1]>['incoming']>['socket'];
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', arguments: {} } };
  const request = new Request('http://127.0.0.1:9191/mcp', {
    method: 'POST',
    body: JSON.stringify(call),
    headers: {
      ...headers,
      Host: '127.0.0.1:9191',
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
  });
  const response = await http.fetch(request, { incoming: { socket: connection } });
  const reader = response.body?.getReader();
  await reader?.read(); // the event that begins the stream
  await expect.poll(() => http.heldFor(connection)).toBeGreaterThan(size);
  while ((await reader?.read())?.done === false);
  expect(http.heldFor(connection)).toBe(0);
});

it('counts nothing more for a client that has disconnected', async () => {
  const limits = () => ({ resumableEvents: 10, resumableBytes: 1000 });
  const input = { room: new EventRoom(1000), principal: 'ann', limits, keepAliveMs: 0, pollMs: null, tag: '0a' };
  const stream = new SessionStreams(input).open();
  let waiting = 0;
  const onWaiting = (bytes: number) => {
    waiting += bytes;
  };
  const response = toStreamResponse(stream, new Headers(), { maxBytes: 1000, onWaiting }, (reader) =>
    stream.begin(reader, null),
  );
  stream.send('1');
  stream.send('x'.repeat(size), { id: 1, isLast: true });
  expect(waiting).toBeGreaterThan(size);
  await response.body?.cancel();
  expect(waiting).toBe(0);
});
