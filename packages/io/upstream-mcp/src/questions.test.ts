// Tests that requests and notifications of a server during calls reach the right caller and no other.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { type ServerRequest, type ServerRequestHandler, ServerRequestRefused, Unasked } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { AskingKind } from './asking-memory.js';
import { createLogLevel } from './log-level.js';
import { createResourceWatch } from './resource-watch.js';
import { createRpcPeer, type RpcPeer } from './rpc-peer.js';
import type { Transport } from './transport.js';
import type { RpcId, RpcMessage } from './wire.js';

const clientInfo = { name: 'portico', version: '0.1.0' };
const settled = () => new Promise(setImmediate);

/** A peer of 2025-11-25 whose other end is the test, which answers pings, where it does, after `latency`. */
function start(latency: () => Promise<unknown> = async () => {}, declared?: JsonObject) {
  const sent: RpcMessage[] = [];
  const outside: ServerRequest[] = [];
  const notified: [string, JsonObject, boolean][] = [];
  const transport: Transport = {
    hasReplyStreams: false,
    sessionId: () => undefined,
    request(message) {
      if (message.method === 'ping') {
        void latency().then(() => peer.receive({ jsonrpc: '2.0', id: message.id as RpcId, result: {} }));
      } else sent.push(message);
      return () => {};
    },
    async send(message) {
      sent.push(message);
    },
    settle() {},
    listen() {},
    close: async () => {},
  };
  const peer = createRpcPeer({
    clientInfo,
    declared,
    transport: () => transport,
    onNotification: (...given) => notified.push(given),
    async onServerRequest(question) {
      outside.push(question);
      return { outside: true };
    },
    onDefect(error) {
      throw error;
    },
  });
  const call = (name: string, more: Partial<ServerRequestHandler> = {}) => {
    const asked: ServerRequest[] = [];
    const received: JsonObject[] = [];
    const abort = new AbortController();
    const handler: ServerRequestHandler = {
      capabilities: {},
      async onServerRequest(question) {
        asked.push(question);
        return { answer: name };
      },
      progress: { onProgress: (progress) => void received.push(progress) },
      onLogMessage: (message) => received.push(message),
      ...more,
    };
    const result = peer.request('tools/call', { name }, { signal: abort.signal, handler });
    result.catch(() => {});
    const id = sent.at(-1)?.id as RpcId; // it has just been sent
    const answer = () => peer.receive({ jsonrpc: '2.0', id, result: {} });
    const fail = () => peer.receive({ jsonrpc: '2.0', id, error: { code: -1, message: 'refused' } });
    return { id, asked, received, abort, result, answer, fail };
  };
  const receive = (id: RpcId, related?: RpcId, method = 'elicitation/create') =>
    peer.receive({ jsonrpc: '2.0', id, method, params: { message: 'who?' } }, related);
  const ask = async (...question: Parameters<typeof receive>) => {
    receive(...question);
    await settled();
  };
  const replyTo = (id: RpcId) => sent.find((message) => message.id === id && message.method === undefined);
  return { peer, sent, outside, notified, call, receive, ask, replyTo };
}

const kindOf =
  ({ memory }: Pick<RpcPeer, 'memory'>) =>
  (name: string) =>
    memory.kindOf({ method: 'tools/call', params: { name } });

const question = { method: 'elicitation/create', params: { message: 'who?' } };

describe('a question', () => {
  it('goes to the one call that runs', async () => {
    const { call, ask, replyTo } = start();
    const { asked } = call('a');
    await ask('q');
    expect(asked).toEqual([question]);
    expect(replyTo('q')).toEqual({ jsonrpc: '2.0', id: 'q', result: { answer: 'a' } });
  });

  it('goes to the call on whose reply stream it came, with any other calls running', async () => {
    const { call, ask, replyTo } = start();
    const [a, b] = [call('a'), call('b')];
    await ask('q', b.id);
    expect([a.asked, b.asked]).toEqual([[], [question]]);
    expect(replyTo('q')).toMatchObject({ result: { answer: 'b' } });
  });

  it('that was not declared belongs to no call, and does not wait for one', async () => {
    const { call, ask, outside, replyTo } = start(() => new Promise(() => {}), { sampling: {} });
    const [a, b] = [call('a'), call('b')];
    await ask('q', b.id);
    await ask('r');
    expect([a.asked, b.asked, outside]).toEqual([[], [], [question, question]]);
    expect([replyTo('q'), replyTo('r')]).toMatchObject([{ result: { outside: true } }, { result: { outside: true } }]);
  });

  it('is of no call that is answered before the server answers pings', async () => {
    const { call, ask, outside, replyTo, peer } = start(settled);
    const a = call('a');
    await ask('q');
    expect([a.asked, outside]).toEqual([[], []]);
    a.answer();
    await settled();
    expect([a.asked, outside, replyTo('q')]).toMatchObject([[], [question], { result: { outside: true } }]);
    expect(peer.memory.kinds.size).toBe(0);
  });

  it('reaches the call of a server that answers no pings while it waits', async () => {
    const { call, receive } = start(() => new Promise(() => {}));
    const asked = await new Promise((resolve) => {
      call('a', {
        async onServerRequest(given) {
          resolve(given);
          return {};
        },
      });
      receive('q');
    });
    expect(asked).toEqual(question);
  });

  /** The caller's side of a call that waits for a person until it is taken back. */
  const unanswered = (_: ServerRequest, signal: AbortSignalLike) =>
    new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });

  it('that was taken for one of a call is the server’s own once that is answered, and has an answer', async () => {
    const { call, ask, replyTo, outside } = start();
    const held = call('held', { onServerRequest: unanswered });
    await ask('q');
    expect([replyTo('q'), outside]).toEqual([undefined, []]);
    held.answer();
    await settled();
    expect(replyTo('q')).toMatchObject({ result: { outside: true } });
    expect(outside).toHaveLength(1);
  });

  it('of a call that is given up is refused: no question stays without an answer', async () => {
    const { call, ask, replyTo, outside } = start();
    const held = call('held', { onServerRequest: unanswered });
    await ask('q');
    held.abort.abort(new Error('given up'));
    await settled();
    expect(replyTo('q')).toMatchObject({ error: { message: 'the call that this was asked for is over' } });
    expect(outside).toEqual([]);
  });

  it('of the call on whose reply stream it came is refused once that is answered', async () => {
    const { call, ask, replyTo, outside } = start();
    const held = call('held', { onServerRequest: unanswered });
    await ask('q', held.id);
    held.answer();
    await settled();
    expect(replyTo('q')).toMatchObject({ error: { message: 'the call that this was asked for is over' } });
    expect(outside).toEqual([]);
  });

  it('for roots is of no call that is answered once a blocked server goes on', async () => {
    let goOn = () => {};
    const { call, receive, outside, replyTo } = start(
      () =>
        new Promise<void>((resolve) => {
          goOn = resolve;
        }),
    );
    const a = call('a');
    receive('q', undefined, 'roots/list');
    await new Promise((resolve) => setTimeout(resolve, 400)); // longer than another question waits for pings
    a.answer();
    goOn();
    await settled();
    expect([a.asked, outside, replyTo('q')]).toMatchObject([
      [],
      [{ method: 'roots/list' }],
      { result: { outside: true } },
    ]);
  });

  it('goes to the same call as another that came at the same time', async () => {
    const { call, receive, replyTo } = start();
    call('a');
    receive('q1');
    receive('q2');
    await settled();
    expect([replyTo('q1'), replyTo('q2')]).toMatchObject([{ result: { answer: 'a' } }, { result: { answer: 'a' } }]);
  });

  it('waits until it can only be of one call', async () => {
    const { call, ask, replyTo } = start();
    const [a, b, c] = [call('a'), call('b'), call('c')];
    await ask('q');
    a.answer();
    await settled();
    expect([b.asked, c.asked]).toEqual([[], []]);
    c.answer();
    await settled();
    expect([b.asked, replyTo('q')]).toMatchObject([[question], { result: { answer: 'b' } }]);
  });

  it('is not of a call that began after it', async () => {
    const { call, ask, replyTo } = start();
    const [a, b] = [call('a'), call('b')];
    await ask('q');
    const late = call('late');
    a.answer();
    await settled();
    expect([b.asked, late.asked]).toEqual([[question], []]);
    expect(replyTo('q')).toMatchObject({ result: { answer: 'b' } });
  });

  it('is refused where as many are open as calls that could have asked them', async () => {
    const { call, ask, replyTo, peer } = start();
    const [a, b] = [call('a'), call('b')];
    await ask('q1');
    await ask('q2');
    expect([a.asked, b.asked]).toEqual([[], []]);
    const refused = { error: { code: -32603, message: expect.stringContaining('so no caller was asked') } };
    expect([replyTo('q1'), replyTo('q2')]).toMatchObject([refused, refused]);
    // From now on two such calls are not sent side by side.
    expect(['a', 'b', 'c'].map(kindOf(peer))).toEqual(['perhaps', 'perhaps', undefined]);
    a.fail();
    await expect(a.result).rejects.toBeInstanceOf(Unasked);
    await expect(a.result).rejects.toMatchObject({ isAnswered: true });
    b.abort.abort(new Error('too late'));
    await expect(b.result).rejects.toThrow('so no caller was asked');
    await expect(b.result).rejects.toMatchObject({ isAnswered: false });
  });

  it('is refused once a call that may have asked it was given up', async () => {
    const { call, ask, replyTo } = start();
    const [a, b] = [call('a'), call('b')];
    await ask('q');
    a.abort.abort(new Error('left'));
    await settled();
    expect([b.asked, replyTo('q')]).toMatchObject([[], { error: { code: -32603 } }]);
  });

  it('that belongs to no call is answered by the handler for those', async () => {
    const { ask, outside, replyTo } = start();
    await ask('q');
    expect([outside, replyTo('q')]).toMatchObject([[question], { result: { outside: true } }]);
  });

  it('is refused with the code of who refuses it', async () => {
    const { call, ask, replyTo } = start();
    call('a', { onServerRequest: () => Promise.reject(new ServerRequestRefused(-1, 'not now')) });
    await ask('q');
    expect(replyTo('q')).toEqual({ jsonrpc: '2.0', id: 'q', error: { code: -1, message: 'not now' } });
  });

  it.each<[string, (on: ReturnType<typeof start>) => void]>([
    [
      'the server cancels it',
      ({ peer }) => peer.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } }),
    ],
    ['the connection ends', ({ peer }) => peer.disconnect('gone')],
  ])('is taken back from the caller when %s', async (_what, end) => {
    const on = start();
    let signal: AbortSignalLike | undefined;
    on.call('a', {
      onServerRequest: (_question, own) => {
        signal = own;
        return new Promise((_resolve, reject) => own.addEventListener('abort', () => reject(own.reason)));
      },
    });
    await on.ask('q');
    expect(signal?.aborted).toBe(false);
    end(on);
    await settled();
    expect([signal?.aborted, on.replyTo('q')]).toEqual([true, undefined]);
  });

  it('of a kind that no client answers is refused', async () => {
    const { ask, replyTo } = start();
    await ask('q', undefined, 'tools/list');
    expect(replyTo('q')).toMatchObject({ error: { code: -32601 } });
  });

  it('is one of at most 1,000 that are open', async () => {
    const { call, receive, replyTo } = start();
    call('a', { onServerRequest: () => new Promise(() => {}) });
    for (let n = 0; n <= 1000; n += 1) receive(n + 1000);
    await settled();
    expect([replyTo(1999), replyTo(2000)]).toMatchObject([undefined, { error: { code: -32603 } }]);
  });
});

describe('beside a call that waits for its caller', () => {
  const waits = { onServerRequest: () => new Promise<never>(() => {}) };

  /** The server has been seen to ask for such calls. */
  const knowToAsk = ({ memory }: RpcPeer, name: string, kind: AskingKind = 'person') =>
    memory.note({ method: 'tools/call', params: { name } }, kind);

  it('a question is of the one other that runs where that is known to ask', async () => {
    const { call, ask, peer } = start();
    call('parked', waits);
    await ask('q1');
    const other = call('other');
    expect(peer.askers.load()).toEqual({ total: 2, unasked: 1, askers: 1, persons: 1 });
    knowToAsk(peer, 'other');
    await ask('q2');
    expect([other.asked, kindOf(peer)('other')]).toEqual([[question], 'person']);
  });

  it.each(['perhaps', 'roots', undefined] as const)('a question is not put to one noted as %s', async (kind) => {
    const { call, ask, replyTo, peer } = start();
    const parked = call('parked', waits);
    await ask('q1');
    if (kind !== undefined) knowToAsk(peer, 'other', kind);
    const other = call('other');
    await ask('q2');
    expect([other.asked, replyTo('q2')]).toEqual([[], undefined]);
    parked.answer();
    await settled();
    expect(other.asked).toEqual([question]);
  });

  it('a second question of its own is put to it, not to another that never asked, once that has its answer', async () => {
    const { call, ask, replyTo } = start();
    const asked: ServerRequest[] = [];
    call('parked', {
      onServerRequest(given) {
        asked.push(given);
        return new Promise(() => {});
      },
    });
    await ask('q1');
    const other = call('other');
    await ask('q2');
    await ask('q3');
    expect([asked.length, other.asked, replyTo('q2'), replyTo('q3')]).toEqual([1, [], undefined, undefined]);
    other.answer();
    await settled();
    expect([asked.length, other.asked]).toEqual([3, []]);
  });

  it.each(['parked', 'other'])('a question of one of the two is refused once %s was given up', async (name) => {
    const { call, ask, replyTo, peer } = start();
    const both = { parked: call('parked', waits), other: undefined as ReturnType<typeof call> | undefined };
    await ask('q1');
    both.other = call('other');
    await ask('q2');
    both[name as keyof typeof both]?.abort.abort(new Error('left'));
    await settled();
    expect(replyTo('q2')).toMatchObject({ error: { message: expect.stringContaining('any of 2 calls') } });
    expect([both.other.asked, kindOf(peer)('other')]).toEqual([[], 'perhaps']);
  });

  it('a question is not put to the last of several where the one that waited was given up', async () => {
    const { call, ask, replyTo } = start();
    const parked = call('parked', waits);
    await ask('q1');
    const [b, c] = [call('b'), call('c')];
    await ask('q2');
    parked.abort.abort(new Error('left'));
    b.answer();
    await settled();
    expect([c.asked, replyTo('q2')]).toMatchObject([[], { error: { code: -32603 } }]);
  });

  it('a question that comes while its own is being assigned is of the other that is known to ask', async () => {
    const { call, receive, peer } = start(settled);
    knowToAsk(peer, 'other');
    call('parked', waits);
    receive('q1');
    const other = call('other');
    receive('q2');
    for (let turns = 0; turns < 5; turns += 1) await settled();
    expect(other.asked).toEqual([question]);
  });

  it('a question waits where two others run, and does not belong to a call that was answered in between', async () => {
    const { call, ask, peer } = start();
    knowToAsk(peer, 'c');
    let reply = (_: JsonObject) => {};
    const asked: ServerRequest[] = [];
    const parked = call('parked', {
      onServerRequest(given) {
        asked.push(given);
        return new Promise((resolve) => {
          reply = resolve;
        });
      },
    });
    await ask('q1');
    const [b, c] = [call('b'), call('c')];
    await ask('q2');
    reply({});
    await settled();
    b.answer();
    await settled();
    expect([asked.length, c.asked]).toEqual([1, [question]]);
    parked.answer();
  });

  it('its own further question is its own when the one other that ran has been answered', async () => {
    const { call, receive, replyTo } = start(settled);
    const parked = call('parked');
    receive('q1');
    for (let turns = 0; turns < 5; turns += 1) await settled();
    const other = call('other');
    receive('q2');
    other.answer();
    for (let turns = 0; turns < 5; turns += 1) await settled();
    expect([other.asked, parked.asked.length, replyTo('q2')]).toMatchObject([[], 2, { result: { answer: 'parked' } }]);
  });
});

it('a call that asks and was given up may go on at the server, so no other that asks is its neighbour', async () => {
  const { call, ask, peer } = start();
  const a = call('a', { onServerRequest: () => new Promise(() => {}) });
  await ask('q');
  a.abort.abort(new Error('left'));
  expect(peer.askers.load()).toEqual({ total: 1, unasked: 0, askers: 0, persons: 0 });
});

describe('progress', () => {
  it('is requested under the id of the request, and reported without the token', () => {
    const { call, peer, sent } = start();
    const [a, b] = [call('a'), call('b')];
    expect(sent[1]?.params).toEqual({ name: 'b', _meta: { progressToken: b.id } });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: b.id, progress: 1 } });
    peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 99, progress: 2 } });
    expect([a.received, b.received]).toEqual([[], [{ progress: 1 }]]);
  });

  it('is not requested by a caller that does not listen', () => {
    const { call, sent } = start();
    call('a', { progress: undefined as never });
    expect(sent[0]?.params).toEqual({ name: 'a' });
  });
});

describe('log messages', () => {
  const message = { level: 'info', data: 'x' };
  const say = ({ peer }: ReturnType<typeof start>, related?: RpcId) =>
    peer.receive({ jsonrpc: '2.0', method: 'notifications/message', params: message }, related);

  it('are of the one call that runs, or of the one on whose stream they come', () => {
    const on = start();
    const a = on.call('a');
    say(on);
    const b = on.call('b');
    say(on, b.id);
    expect([a.received, b.received]).toEqual([[message], [message]]);
    expect(on.notified.map(([, , isOfCall]) => isOfCall)).toEqual([true, true]);
  });

  it('belong to no call where several run, and are not sent to other callers', () => {
    const on = start();
    const calls = [on.call('a'), on.call('b')];
    say(on);
    expect([calls.map(({ received }) => received), on.notified]).toEqual([
      [[], []],
      [['notifications/message', message, true]],
    ]);
  });
});

describe('a log message outside of calls', () => {
  it('belongs to every caller', async () => {
    const { peer, notified, call } = start();
    const a = call('a');
    a.answer();
    await a.result;
    peer.receive({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } });
    expect(notified).toEqual([['notifications/message', { level: 'info', data: 'x' }, false]]);
  });
});

const agreement = (capabilities: JsonObject) => ({ era: 'legacy', revision: '2025-11-25', capabilities }) as const;
const { signal } = new AbortController();

describe('the requests to a server of 2025-11-25', () => {
  const answerAll = ({ peer, sent }: ReturnType<typeof start>) => {
    for (const { id, method } of sent)
      if (method !== undefined && id != null) peer.receive({ jsonrpc: '2.0', id, result: {} });
  };

  it('are updates of the resources that are watched, each once', async () => {
    const on = start();
    const watch = createResourceWatch({
      peer: on.peer,
      agreement: agreement({ resources: { subscribe: true } }),
      relisten() {},
    });
    for (const uris of [['a', 'b'], ['b', 'c'], ['b', 'c'], []]) {
      const done = watch(uris, signal);
      answerAll(on);
      await done;
    }
    expect(on.sent.map(({ method, params }) => `${method} ${params?.uri}`)).toEqual([
      'resources/subscribe a',
      'resources/subscribe b',
      'resources/subscribe c',
      'resources/unsubscribe a',
      'resources/unsubscribe b',
      'resources/unsubscribe c',
    ]);
  });

  it('are no updates where it does not offer them', async () => {
    const on = start();
    await createResourceWatch({ peer: on.peer, agreement: agreement({ resources: {} }), relisten() {} })(['a'], signal);
    expect(on.sent).toEqual([]);
  });

  it('are log messages of the lowest level that any caller wants', async () => {
    const on = start();
    const want = createLogLevel(on.peer, agreement({ logging: {} }));
    for (const level of ['warning', 'error', 'debug', 'info', 'loud']) {
      const done = want(level, signal);
      answerAll(on);
      await done;
    }
    expect(on.sent.map(({ params }) => params)).toEqual([{ level: 'warning' }, { level: 'debug' }]);
  });
});
