// Messages of a hostile server: each ends at most itself, and holds no more memory than is counted.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { JsonObject } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { call, start, traceId } from '../testing/start-inspector.js';
import { maxBatchMessages } from './batch-texts.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const fake = '{"toString":1}';
const malformed = [
  '{"jsonrpc":"2.0","method":"notifications/progress","params":null}',
  '{"jsonrpc":"2.0","method":"notifications/progress","params":[]}',
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${fake}}}`,
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${fake}}}`,
  `{"id":${fake},"method":"ping"}`,
  `{"id":${fake},"result":{}}`,
  `{"method":${fake}}`,
  `{"id":1,"method":${fake}}`,
  `{"id":1,"method":"ping","params":"${'['.repeat(100)}"}`,
  '{"id":1,"error":null,"result":null}',
  '{"__proto__":{"id":1},"constructor":null}',
  '{}',
];

it.each(malformed)('%s is kept, and the messages behind it as well', async (line) => {
  const { tap, channel, sent, received, list, inspector } = start();
  sent(call(7));
  tap.recorder?.received(channel, [JSON.parse(line)], line, null);
  tap.recorder?.received(channel, [JSON.parse(line)], line, 7);
  received({ jsonrpc: '2.0', id: 8, method: 'roots/list' });
  expect((await list()).map(({ rpc_id }) => rpc_id).filter((id) => id === '7' || id === '8')).toEqual(['8', '7']);
  expect(inspector.counts()).toMatchObject({ frames: 4, dropped: 0 });
});

it('what cannot be read is counted, and neither the sender nor the timer fails', async () => {
  const { tap, channel, sent, list, inspector } = start();
  const unreadable = new Proxy({}, { get: () => throwing() });
  tap.recorder?.received(channel, [unreadable], '{}', null);
  tap.recorder?.received(channel, [{}, {}], '[', null); // no text of a batch
  sent(call(1));
  expect(await list()).toHaveLength(1);
  expect(inspector.counts()).toMatchObject({ frames: 1, dropped: 3 });
});

function throwing(): never {
  throw new Error('unreadable');
}

describe('a method or an id that is longer than a name', () => {
  const long = 'password='.repeat(1000);

  it('is cut before it is redacted, and no answer is looked for by it', async () => {
    const { sent, received, list } = start();
    received({ id: long, method: long });
    sent({ id: long, result: {} });
    expect(await list()).toMatchObject([
      { kind: 'response', rpc_id: '"[cut]"' },
      { kind: 'request', rpc_id: '"[cut]"', method: '[cut]' },
    ]);
    expect((await list())[0]).not.toHaveProperty('duration_us');
  });

  it('does not stay in memory, whole or as a part', async () => {
    const { tap, channel, list } = start({ bodies: 'off' });
    const take = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        const text = `{"id":"${at}${'i'.repeat(1_000_000)}","method":"${at}${'m'.repeat(1_000_000)}"}`;
        tap.recorder?.received(channel, [JSON.parse(text)], text, null);
        const { id, method } = JSON.parse(text);
        const name = { id: id.slice(0, 100), method: method.slice(0, 100) }; // parts of a long text
        tap.recorder?.received(channel, [name], '{}', null);
        await list();
      }
    };
    await take(1);
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    await take(20);
    collectGarbage();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000); // of 80,000,000
  });
});

describe('a batch', () => {
  const batchOf = (count: number, more = '') =>
    `[${Array.from({ length: count }, (_, id) => `{"id":${id},"result":{"n":1098765432109876543${more}}}`)}]`;

  it('is kept message by message, with all digits of its numbers', async () => {
    const { tap, channel, sent, list } = start();
    sent(call(1));
    const text = batchOf(2);
    tap.recorder?.received(channel, JSON.parse(text), text, null);
    const [second, first] = await list();
    expect([first?.body, second?.body]).toEqual([0, 1].map((id) => `{"id":${id},"result":{"n":1098765432109876543}}`));
    expect(second).toMatchObject({ trace_id: traceId, bytes: first?.body?.length });
  });

  it.each([
    ['more messages than it may', batchOf(maxBatchMessages + 5), maxBatchMessages, 5],
    ['more characters than it may', batchOf(2, `,"x":"${'x'.repeat(200_000)}"`), 0, 2],
  ])('of %s is kept in part or not, which is counted', async (_, text, frames, dropped) => {
    const { tap, channel, list, inspector } = start();
    tap.recorder?.received(channel, JSON.parse(text), text, null);
    await list();
    expect(inspector.counts()).toMatchObject({ frames, dropped });
  });

  it('is written again behind the call that it belongs to', async () => {
    const { tap, channel, list } = start();
    const messages: JsonObject[] = JSON.parse(batchOf(3));
    let written = 0;
    for (const message of messages) Object.assign(message, { toJSON: () => (written += 1) });
    tap.recorder?.received(channel, messages, batchOf(3), null);
    await list();
    expect(written).toBe(0);
  });
});
