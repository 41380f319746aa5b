// Messages for a child in one turn of the event loop are one write; no write follows where the session is closed in
// that turn.
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createMessageWriter } from './stdio-pipes.js';

const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call' }) as const;
const unanswered = { reject: () => {} };

it('writes the messages of a turn together', async () => {
  const stdin = new PassThrough();
  const writer = createMessageWriter(stdin);
  writer.write(request(1), unanswered);
  writer.write(request(2), unanswered);
  const [chunk] = await once(stdin, 'data');
  expect(String(chunk)).toBe(`${JSON.stringify(request(1))}\n${JSON.stringify(request(2))}\n`);
});

it('writes what it has at its end', () => {
  const stdin = new PassThrough();
  const writer = createMessageWriter(stdin);
  writer.write(request(1), unanswered);
  writer.end();
  expect(String(stdin.read())).toBe(`${JSON.stringify(request(1))}\n`);
});

it('writes nothing of a session that is given up, and lets those go on who wait for their message alone', async () => {
  const stdin = new PassThrough();
  const writer = createMessageWriter(stdin);
  let isOver = false;
  writer.write(request(1), unanswered);
  writer.write({ jsonrpc: '2.0', method: 'notifications/cancelled' }, () => {
    isOver = true;
  });
  writer.drop();
  await setImmediate();
  await setImmediate();
  expect([stdin.read(), isOver]).toEqual([null, true]);
});

it('takes nothing after its end', () => {
  const writer = createMessageWriter(new PassThrough());
  writer.end();
  const refused: unknown[] = [];
  writer.write(request(1), { reject: (error) => refused.push(error) });
  expect(refused).toEqual([expect.objectContaining({ message: expect.stringContaining('the process has ended') })]);
});
