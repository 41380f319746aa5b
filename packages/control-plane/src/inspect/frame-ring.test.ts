import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameRing, type KeptFrame, sizeOf } from './frame-ring.js';

const frame = (seq: number, bodyBytes: number, server = 's'): KeptFrame => ({
  seq,
  epochMs: seq,
  server,
  direction: 'sent',
  kind: 'request',
  method: 'tools/call',
  rpcId: '1',
  bytes: bodyBytes,
  durationUs: undefined,
  isError: false,
  traceId: undefined,
  owner: undefined,
  body: new Uint8Array(bodyBytes),
  isCut: false,
});
const sum = (frames: readonly KeptFrame[]) => frames.reduce((total, each) => total + sizeOf(each), 0);

/** The server that holds the most; of several the one whose messages came first. */
function fullest(frames: readonly KeptFrame[]): string | undefined {
  const servers = [...new Set(frames.map(({ server }) => server))];
  const held = (name: string) => sum(frames.filter(({ server }) => server === name));
  return servers.toSorted((one, other) => held(other) - held(one))[0];
}

const isGivenUp = (frames: readonly KeptFrame[]) => {
  const server = fullest(frames);
  return (each: KeptFrame) => each.server === server;
};

describe('the ring of messages', () => {
  it('never holds more bytes than it may, gives up the oldest of the server that has the most, and counts them', () => {
    const step = fc.oneof(
      {
        weight: 20,
        arbitrary: fc.record({ add: fc.integer({ min: 0, max: 4000 }), server: fc.constantFrom('s', 't') }),
      },
      fc.record({ resize: fc.integer({ min: 0, max: 20_000 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const ring = new FrameRing(10_000);
        let expected: KeptFrame[] = [];
        let evicted = 0;
        let seq = 0;
        for (const each of steps) {
          const limit = 'resize' in each ? each.resize : ring.maxBytes;
          if ('resize' in each) ring.resize(each.resize);
          else {
            seq += 1;
            const added = frame(seq, each.add, each.server);
            const fits = sizeOf(added) <= limit;
            expect(ring.add(added)).toBe(fits);
            if (fits) expected.push(added);
          }
          while (sum(expected) > limit) {
            expected = expected.toSpliced(expected.findIndex(isGivenUp(expected)), 1);
            evicted += 1;
          }
          expect(ring.bytes).toBeLessThanOrEqual(limit);
          expect([...ring.oldestFirst()]).toEqual(expected);
          expect([ring.bytes, ring.size, ring.evicted]).toEqual([sum(expected), expected.length, evicted]);
        }
        for (const each of expected)
          expect([...ring.after(each.seq)]).toEqual(expected.filter(({ seq: later }) => later > each.seq));
        expect([...ring.newestFirst()]).toEqual([...expected].reverse());
      }),
    );
  });

  it('stays flat over many messages', () => {
    const ring = new FrameRing(100_000);
    for (let seq = 1; seq <= 50_000; seq += 1) ring.add(frame(seq, 100));
    expect(ring.bytes).toBeLessThanOrEqual(100_000);
    expect(ring.size + ring.evicted).toBe(50_000);
    expect(ring.places).toBeLessThan(3_000);
  });
});
