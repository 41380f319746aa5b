import { describe, expect, it } from 'vitest';
import { createSseParser, type ServerSentEvent } from './sse-parser.js';

function parse(chunks: readonly string[], maxBytes = 1_000) {
  const events: ServerSentEvent[] = [];
  const ids: string[] = [];
  const retries: number[] = [];
  let tooLong = 0;
  const parser = createSseParser(maxBytes, {
    onEvent: (event) => events.push(event),
    onId: (id) => ids.push(id),
    onRetry: (ms) => retries.push(ms),
    onTooLong: () => {
      tooLong += 1;
    },
  });
  for (const chunk of chunks) parser.push(Buffer.from(chunk));
  return { events, ids, retries, tooLong };
}

describe('the parser of server-sent events', () => {
  it('reads events, ids, retry delays and comments, however they are cut into chunks', () => {
    const { events, ids, retries } = parse([
      ': keep-alive\n\nretry: 250\nid: 7\nda',
      'ta: {"a":1}\n\nevent: endpoint\r\ndata:/messages\r\n\r\n',
      'data: one\ndata: two\nunknown: x\n\n',
    ]);
    expect(events).toEqual([
      { event: 'message', data: '{"a":1}' },
      { event: 'endpoint', data: '/messages' },
      { event: 'message', data: 'one\ntwo' },
    ]);
    expect(ids).toEqual(['7']);
    expect(retries).toEqual([250]);
  });

  it('takes every kind of line end, however cut, and a byte order mark', () => {
    const expected = [
      { event: 'a', data: '1\n2' },
      { event: 'message', data: '3' },
    ];
    for (const end of ['\n', '\r', '\r\n']) {
      const text = ['\uFEFFevent: a', 'data: 1', 'data: 2', '', 'data: 3', '', ''].join(end);
      expect(parse([text]).events).toEqual(expected);
      const bytes = Buffer.from(text);
      const events: ServerSentEvent[] = [];
      const parser = createSseParser(100, { onEvent: (event) => events.push(event), onTooLong() {} });
      for (const byte of bytes) parser.push(Buffer.from([byte]));
      expect(events).toEqual(expected);
    }
  });

  it('gives no event without data, and none that was not ended', () => {
    expect(parse(['id: 1\n\nevent: ping\n\ndata: cut off\n']).events).toEqual([]);
  });

  it('says when an event is too long, in one line or in many', () => {
    expect(parse([`data: ${'x'.repeat(100)}\n\n`], 50).tooLong).toBe(1);
    expect(parse([`${'data: 0123456789\n'.repeat(6)}\n`], 50).tooLong).toBeGreaterThan(0);
    expect(parse([`${'data: 0123456789\n\n'.repeat(6)}`], 50).tooLong).toBe(0);
  });
});
