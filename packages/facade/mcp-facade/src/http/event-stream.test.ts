// The stored events and the memory of session streams, for misbehaving clients and servers.
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { JsonValue } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import type { StreamReader } from './event-stream.js';
import { EventRoom } from './kept-events.js';
import { NodeReply, replyHeadsWith, writePlainHead } from './node-reply.js';
import { asJson } from './prefer-json.js';
import { SessionStreams } from './session-streams.js';
import { pump, toStreamResponse } from './stream-response.js';

const revision = '2025-11-25';
const unlimited = { resumableEvents: 1000, resumableBytes: 1_000_000 };

function openSession(room = new EventRoom(1_000_000), limits = unlimited, tag = '0a', principal = 'ann') {
  return new SessionStreams({ room, principal, limits: () => limits, tag, keepAliveMs: 0, pollMs: null });
}

/** A connection that takes this many events before it has to reconnect. */
function connection(takes = Number.POSITIVE_INFINITY) {
  const texts: string[] = [];
  let end = 'open';
  const reader: StreamReader = {
    write(text) {
      if (texts.length >= takes) return false;
      texts.push(text);
      return true;
    },
    writeFinal: (text) => void texts.push(text),
    end() {
      end = 'ended';
    },
    drop() {
      end = 'dropped';
    },
  };
  const data = () => texts.flatMap((text) => /^data: (.+)$/m.exec(text)?.[1] ?? []);
  return { reader, texts, data, end: () => end };
}

const request = (id: number) => ({ jsonrpc: '2.0', id, method: 'tools/call' });
const answer = (id: number, size = 0) => JSON.stringify({ result: 'x'.repeat(size), jsonrpc: '2.0', id });
const failure = (id: number) => JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message: 'm' } });
const message = (size: number) => JSON.stringify({ method: 'm', params: 'x'.repeat(size) });

/** A stream as the SDK writes it. */
function sourceOf(texts: readonly string[]) {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${text}\n\n`));
      controller.close();
    },
  });
  return body.getReader();
}

const dataOf = (text: string) => [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => data);

/** A reply whose connection takes nothing, so that all of it waits. */
function openReply(resumableBytes: number) {
  const outgoing = new ServerResponse(new IncomingMessage(new Socket()));
  const options = {
    heads: replyHeadsWith({}),
    writeHead: writePlainHead,
    keepAliveMs: 0,
    pingsFromStart: false,
    isAlwaysStream: false,
    statusOf: () => 200,
    endWithout: 'stream',
    streams: openSession(undefined, { ...unlimited, resumableBytes }),
  } as const;
  return { outgoing, streams: options.streams, reply: new NodeReply(outgoing, 1, {}, options, () => {}) };
}

/** The data that a client gets which has everything up to an event. */
function readOn(streams: SessionStreams, eventId: string): readonly string[] | undefined {
  const position = streams.find(eventId);
  if (position === undefined) return undefined;
  const { reader, data } = connection();
  position.stream.resume(reader, position.after);
  return data();
}

describe('what is kept', () => {
  it('is limited to a number of events of a session, over all of its streams, the newest', () => {
    const streams = openSession(undefined, { ...unlimited, resumableEvents: 3 });
    const [one, two] = [streams.open(), streams.open()];
    for (const text of ['1', '2', '3']) one.send(text);
    two.send('4');
    two.send('5');
    expect(readOn(streams, '0a-1-2')).toEqual(['3']);
    expect(readOn(streams, '0a-2-0')).toEqual(['4', '5']);
  });

  it('is limited to a number of bytes of a session, for a client that never reads', () => {
    const streams = openSession(undefined, { ...unlimited, resumableBytes: 10_000 });
    const stream = streams.open();
    stream.begin(connection(0).reader, revision);
    for (let count = 0; count < 1000; count += 1) stream.send(message(900));
    expect(readOn(streams, '0a-1-989')).toBeUndefined();
    expect(readOn(streams, '0a-1-990')).toHaveLength(10);
  });

  it('is limited to a number of bytes of all sessions, the newest', () => {
    const room = new EventRoom(5_000);
    const sessions = ['0a', '0b', '0c', '0d'].map((tag) => openSession(room, unlimited, tag));
    for (const session of sessions) {
      const stream = session.open();
      for (let count = 0; count < 3; count += 1) stream.send(message(900));
      stream.end();
    }
    const countAfter = (number: number) =>
      sessions.map((session, index) => readOn(session, `0${'abcd'[index]}-1-${number}`)?.length);
    expect(countAfter(0)).toEqual([undefined, undefined, undefined, 3]);
    expect(countAfter(1)).toEqual([undefined, undefined, 2, 2]);
  });

  it('of one principal does not go for another that has more', () => {
    const room = new EventRoom(5_000);
    const [one, two] = [openSession(room, unlimited, '0a', 'ann'), openSession(room, unlimited, '0b', 'hog')];
    one.open().send(message(900));
    const stream = two.open();
    for (let count = 0; count < 50; count += 1) stream.send(message(900));
    expect(readOn(one, '0a-1-0')).toHaveLength(1);
    expect(two.find('0b-1-45')).toBeUndefined();
    expect(readOn(two, '0b-1-46')).toHaveLength(4);
  });

  it('is nothing of a session that has ended, which makes room for others', () => {
    const room = new EventRoom(1_500);
    const [one, two] = [openSession(room, unlimited, '0a'), openSession(room, unlimited, '0b')];
    one.open().send(message(900));
    one.close();
    two.open().send(message(900));
    expect(readOn(one, '0a-1-0')).toBeUndefined();
    expect(readOn(two, '0b-1-0')).toHaveLength(1);
  });

  it('is nothing that a client says it has', () => {
    const streams = openSession();
    const stream = streams.open();
    for (const text of ['1', '2']) stream.send(text);
    expect(readOn(streams, '0a-1-1')).toEqual(['2']);
    expect(readOn(streams, '0a-1-1')).toEqual(['2']);
    expect(streams.find('0a-1-0')).toBeUndefined(); // it would miss event 1
    stream.end();
    expect(readOn(streams, '0a-1-2')).toEqual([]);
    expect(streams.find('0a-1-2')).toBeUndefined();
  });

  it('is nothing for a client that would miss something in between', () => {
    const streams = openSession(undefined, { resumableEvents: 2, resumableBytes: 1000 });
    const stream = streams.open();
    for (const text of ['1', message(2000), '3', '4', '5']) stream.send(text);
    expect(['0a-1-0', '0a-1-1', '0a-1-2'].map((id) => streams.find(id))).toEqual([undefined, undefined, undefined]);
    expect(readOn(streams, '0a-1-3')).toEqual(['4', '5']);
    stream.send(message(2000));
    expect(streams.find('0a-1-5')).toBeUndefined();
    expect(readOn(streams, '0a-1-6')).toEqual([]);
    stream.send(answer(1, 2000), { id: 1, isLast: true });
    expect(readOn(streams, '0a-1-6')).toMatchObject([expect.stringContaining('limits.resumableBytes')]);
  });

  it('is no ended stream without kept events', () => {
    const streams = openSession(undefined, { ...unlimited, resumableBytes: 1 });
    for (let count = 0; count < 100; count += 1) {
      const stream = streams.open();
      stream.send(message(10));
      stream.end();
      expect(streams.find(`${stream.key}-0`)).toBeUndefined();
    }
  });
});

describe('an answer that is too large to be kept', () => {
  const limits = { ...unlimited, resumableBytes: 1000 };
  const large = 'x'.repeat(2000);
  /** Too large to be parsed. */
  const unquoted = (id: JsonValue) => `{"result":${large},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  const notKept = (id: JsonValue) => ({ id, error: { message: expect.stringContaining('limits.resumableBytes') } });

  it.each([
    ['one request', { ...request(1), id: 'a"b' }, [unquoted('a"b')], ['a"b']],
    ['one request, an error', request(1), [`{"jsonrpc":"2.0","id":1,"error":{"id":7,"data":${large}}}`], [1]],
    ['two requests', [request(1), request(2)], [unquoted(2), unquoted(1)], [2, 1]],
  ])('to %s is recognized by its id, without being parsed', async (_what, asked, texts, ids) => {
    const streams = openSession(undefined, limits);
    await pump(sourceOf(texts), streams.open(), asked);
    const replayed = readOn(streams, '0a-1-0')?.map((text) => JSON.parse(text));
    expect(replayed).toMatchObject(ids.map(notKept));
  });

  it('of node:http is recognized by its id, without being parsed', () => {
    const { reply, streams } = openReply(1000);
    reply.notify({ method: 'm' });
    reply.answer(unquoted(1));
    expect(JSON.parse(readOn(streams, '0a-1-1')?.[0] ?? '')).toMatchObject(notKept(1));
  });

  it('leaves as JSON without being parsed, where nothing comes before it', async () => {
    const first = async (text: string) => (await sourceOf([text]).read()).value;
    const answers = [unquoted(1), `{"jsonrpc":"2.0","id":1,"error":{"method":${large}}}`];
    for (const text of answers) expect(await asJson(new Headers(), await first(text))?.text()).toBe(text);
    const others = [message(1), `{"jsonrpc":"2.0","params":${large},"method":"m"}`];
    for (const text of others) expect(asJson(new Headers(), await first(text))).toBeUndefined();
  });

  it('is not a request or a notification', async () => {
    const streams = openSession(undefined, limits);
    const asks = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'm', params: large });
    await pump(sourceOf([asks, answer(1)]), streams.open(), request(1));
    expect(readOn(streams, '0a-1-0')).toBeUndefined();
    expect(readOn(streams, '0a-1-1')).toEqual([answer(1)]);
  });
});

describe('a connection', () => {
  it('that does not read is dropped, and finds what it missed when it comes again', () => {
    const streams = openSession();
    const stream = streams.open();
    const slow = connection(2);
    stream.begin(slow.reader, revision);
    for (const text of ['1', '2', '3']) stream.send(text);
    expect([slow.data(), slow.end()]).toEqual([['1'], 'dropped']);
    expect(readOn(streams, '0a-1-1')).toEqual(['2', '3']);
  });

  it('that does not read is not dropped for the last answer, which it may still read', () => {
    const stream = openSession().open();
    const slow = connection(2);
    stream.begin(slow.reader, revision);
    stream.send('1');
    stream.send('2', { id: 1, isLast: true });
    stream.end();
    expect([slow.data(), slow.end()]).toEqual([['1', '2'], 'ended']);
  });

  it.each([
    ['one request', request(1), [message(2000), answer(1)]],
    ['one request, an error', request(1), [message(2000), failure(1)]],
    ['two requests', [request(1), request(2)], [answer(2, 2000), answer(1)]],
  ])('of a web response has the last answer to %s after what waits before it', async (_what, asked, texts) => {
    const stream = openSession().open();
    const room = { maxBytes: 1000, onWaiting() {} };
    const response = toStreamResponse(stream, new Headers(), room, (reader) => stream.begin(reader, revision));
    await pump(sourceOf(texts), stream, asked);
    expect(dataOf(await response.text())).toEqual(texts);
  });

  it('of node:http has the last answer after what waits before it', () => {
    const { outgoing, reply } = openReply(1000);
    reply.notify({ method: 'm', params: 'x'.repeat(2000) });
    reply.answer(answer(1));
    expect([outgoing.destroyed, outgoing.writableEnded]).toEqual([false, true]);
  });

  it('takes the place of another, which gets nothing more', () => {
    const stream = openSession().open();
    const [first, second] = [connection(), connection()];
    stream.begin(first.reader, revision);
    stream.send('1');
    stream.resume(second.reader, 1);
    stream.detach(first.reader);
    stream.send('2');
    stream.end();
    expect([first.data(), first.end()]).toEqual([['1'], 'dropped']);
    expect([second.data(), second.end()]).toEqual([['2'], 'ended']);
  });

  it('of a session that ends ends with it', () => {
    const streams = openSession();
    const { reader, end } = connection();
    streams.open().begin(reader, revision);
    streams.close();
    expect(end()).toBe('ended');
  });
});
