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

  it('gives no event without data, and none that was not ended', () => {
    expect(parse(['id: 1\n\nevent: ping\n\ndata: cut off\n']).events).toEqual([]);
  });

  it('says when an event is too long, in one line or in many', () => {
    expect(parse([`data: ${'x'.repeat(100)}\n\n`], 50).tooLong).toBe(1);
    expect(parse([`${'data: 0123456789\n'.repeat(6)}\n`], 50).tooLong).toBeGreaterThan(0);
    expect(parse([`${'data: 0123456789\n\n'.repeat(6)}`], 50).tooLong).toBe(0);
  });
});
