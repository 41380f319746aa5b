// A client that outlives the service it talks to: the messages to it, and the messages to the next service.
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Link } from './link.js';
import { relay } from './relay.js';

/** A service that answers nothing by itself. */
function createService() {
  const toService = new PassThrough();
  const fromService = new PassThrough();
  let askToLeave = (_failure?: Error) => {};
  let isLeaving = false;
  let failure: Error | undefined;
  const asked = new Promise<void>((resolve) => {
    askToLeave = (error) => {
      failure = error;
      resolve();
    };
  });
  const finish = async () => {
    isLeaving = true;
    if (failure !== undefined) throw failure;
  };
  const link: { -readonly [Name in keyof Link]: Link[Name] } = {
    input: fromService,
    output: toService,
    leaving: { asked, finish },
    close: async () => {},
  };
  return {
    link,
    askToLeave: (error?: Error) => askToLeave(error),
    isLeaving: () => isLeaving,
    received: collect(toService),
    lines: collectLines(toService),
    send: (message: object) => fromService.write(`${JSON.stringify(message)}\n`),
    end: () => fromService.end(),
  };
}

function collectLines(stream: PassThrough) {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text.split('\n').slice(0, -1);
}

function collect(stream: PassThrough) {
  const lines = collectLines(stream);
  return () => lines().map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/** As long as this machine may take to answer. */
const patientDrainMs = 30_000;

function start(drainMs = patientDrainMs) {
  const input = new PassThrough();
  const output = new PassThrough();
  const services = [createService(), createService(), createService()] as const;
  let connects = 0;
  const stop = new AbortController();
  const done = relay({
    input,
    output,
    stop: stop.signal,
    drainMs,
    async connect(signal) {
      signal.throwIfAborted();
      const service = services[connects];
      connects += 1;
      if (service === undefined) throw new Error('no service is left');
      return service.link;
    },
  });
  const write = (message: object | string) =>
    input.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  return { input, done, stop, services, write, toClient: collect(output), connects: () => connects };
}

const request = (id: number | string, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params });
const notify = (method: string, params: object = {}) => ({ jsonrpc: '2.0', method, params });
const answer = (id: unknown, result: object = {}) => ({ jsonrpc: '2.0', id, result });
const listsChanged = ['tools', 'resources', 'prompts'].map((list) => ({
  jsonrpc: '2.0',
  method: `notifications/${list}/list_changed`,
}));

describe('the relay', () => {
  it('passes lines on as they are, and answers unreadable ones', async () => {
    const { write, services, toClient, input, done } = start();
    const [service] = services;
    const odd = '{"jsonrpc":"2.0", "id" : 1,"method":"x","__proto__":{"a":1}}';
    const lines = collectText(service.link.output as PassThrough);
    write(odd);
    write('{"broken":');
    write('[]');
    await expect.poll(lines).toBe(`${odd}\n[]\n`);
    service.send(answer(1, { ok: true }));
    const refused = { jsonrpc: '2.0', id: null, error: { code: -32700, message: expect.any(String) } };
    await expect.poll(toClient).toEqual([refused, answer(1, { ok: true })]);
    input.end();
    await done;
  });

  it('answers what was under way when the service went away, and asks the next one what comes then', async () => {
    const { write, services, toClient } = start();
    const [first, second] = services;
    write(request(1, 'tools/call'));
    write(request(2, 'tools/list'));
    write(request(3, 'tools/call'));
    write(notify('notifications/cancelled', { requestId: 3 }));
    await expect.poll(() => first.received().length).toBe(4);
    first.send(answer(2));
    first.end();
    await expect
      .poll(toClient)
      .toEqual([
        answer(2),
        { jsonrpc: '2.0', id: 1, error: { code: -32603, message: expect.stringContaining('its outcome is unknown') } },
      ]);
    write(request(4, 'tools/list'));
    await expect.poll(second.received).toEqual([request(4, 'tools/list')]);
  });

  it('brings a session to the next service, and notifies the client that lists may have changed', async () => {
    const { write, services, toClient } = start();
    const [first, second] = services;
    const session = [
      request(0, 'initialize', { protocolVersion: '2025-11-25' }),
      notify('notifications/initialized'),
      request(1, 'logging/setLevel', { level: 'debug' }),
      request(2, 'resources/subscribe', { uri: 'a' }),
      request(3, 'resources/subscribe', { uri: 'b' }),
      request(4, 'resources/unsubscribe', { uri: 'a' }),
    ];
    for (const message of session) write(message);
    await expect.poll(() => first.received().length).toBe(session.length);
    for (const id of [0, 1, 2, 3, 4]) first.send(answer(id));
    await expect.poll(() => toClient().length).toBe(5);
    first.end();
    await expect
      .poll(second.received)
      .toEqual([
        { ...session[0], id: 'replay-0' },
        session[1],
        { ...session[2], id: 'replay-2' },
        { ...session[4], id: 'replay-3' },
      ]);
    for (const { id } of second.received()) if (id !== undefined) second.send(answer(id));
    second.send(notify('notifications/message', { level: 'info' }));
    await expect
      .poll(() => toClient().slice(5))
      .toEqual([...listsChanged, notify('notifications/message', { level: 'info' })]);
  });

  it('asks again what changes nothing', async () => {
    const { write, services, toClient } = start();
    const [first, second] = services;
    write(request(0, 'initialize'));
    await expect.poll(first.received).toHaveLength(1);
    first.end();
    await expect.poll(second.received).toEqual([request(0, 'initialize')]);
    second.send(answer(0, { from: 'second' }));
    await expect.poll(toClient).toEqual([answer(0, { from: 'second' })]);
  });

  it('sends numbers as they were written, also in what it sends again', async () => {
    const { write, services, toClient } = start();
    const [first, second] = services;
    const params = '{"numbers":[1098765432109876543,1.0,1e400]}';
    write(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`);
    await expect.poll(first.lines).toHaveLength(1);
    first.end();
    await expect.poll(second.lines).toEqual([`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${params}}`]);
    second.send(request('q', 'elicitation/create'));
    await expect.poll(toClient).toHaveLength(1);
    write(`{"jsonrpc":"2.0","id":${JSON.stringify(toClient()[0]?.id)},"result":${params}}`);
    await expect.poll(() => second.lines().at(-1)).toBe(`{"jsonrpc":"2.0","id":"q","result":${params}}`);
  });

  it('keeps the subscriptions of 2026-07-28, and reports possible changes in between', async () => {
    const { write, services, toClient } = start();
    const [first, second] = services;
    const listen = request('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } });
    const _meta = { 'io.modelcontextprotocol/subscriptionId': 'l' };
    const acknowledged = notify('notifications/subscriptions/acknowledged', { _meta });
    write(listen);
    await expect.poll(first.received).toEqual([listen]);
    first.send(acknowledged);
    first.send({ jsonrpc: '2.0', id: 'l', result: { resultType: 'complete', _meta } });
    first.end();
    await expect.poll(second.received).toEqual([listen]);
    second.send(acknowledged);
    second.send(notify('notifications/prompts/list_changed', { _meta }));
    await expect
      .poll(toClient)
      .toEqual([
        acknowledged,
        notify('notifications/tools/list_changed', { _meta }),
        notify('notifications/prompts/list_changed', { _meta }),
      ]);
  });

  it('never lets an answer reach a question of another service', async () => {
    const { write, services, toClient } = start();
    const [first, second] = services;
    first.send(request(0, 'elicitation/create', { from: 'first' }));
    await expect.poll(toClient).toHaveLength(1);
    first.end();
    await expect.poll(toClient).toHaveLength(2);
    expect(toClient()[1]).toEqual(notify('notifications/cancelled', { requestId: 0 }));
    second.send(request(0, 'elicitation/create', { from: 'second' }));
    await expect.poll(toClient).toHaveLength(3);
    const { id } = toClient()[2] ?? {};
    expect(id).not.toBe(0);
    write(answer(0, { to: 'first' }));
    write(answer(id, { to: 'second' }));
    write(answer(id, { to: 'second, again' }));
    write(request(9, 'ping'));
    await expect.poll(second.received).toEqual([answer(0, { to: 'second' }), request(9, 'ping')]);
  });

  it('takes back what a later service asks by the id that the client knows', async () => {
    const { services, toClient } = start();
    const [first, second] = services;
    first.end();
    second.send(request(0, 'elicitation/create', {}));
    await expect.poll(toClient).toHaveLength(1);
    second.send(notify('notifications/cancelled', { requestId: 0, reason: 'enough' }));
    await expect.poll(toClient).toHaveLength(2);
    const { id } = toClient()[0] ?? {};
    expect(id).not.toBe(0);
    expect(toClient()[1]).toEqual(notify('notifications/cancelled', { requestId: id, reason: 'enough' }));
  });

  it('passes on a last line that does not end, and waits for its answer', async () => {
    const { input, services, toClient, done } = start();
    const [service] = services;
    input.end(JSON.stringify(request(1, 'ping')));
    await expect.poll(service.received).toEqual([request(1, 'ping')]);
    service.send(answer(1));
    await done;
    expect(toClient()).toEqual([answer(1)]);
  });

  it('leaves out a line that is too long, says so, and goes on', async () => {
    const { input, write, services, toClient } = start();
    const [service] = services;
    input.write(`${'x'.repeat(17 * 1024 * 1024)}\n`);
    write(request(1, 'ping'));
    await expect.poll(service.received).toEqual([request(1, 'ping')]);
    expect(toClient()).toEqual([{ jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } }]);
  });

  it('ends with the client, and finds no other service then', async () => {
    const { input, done, connects } = start();
    await expect.poll(connects).toBe(1);
    input.end();
    await done;
    expect(connects()).toBe(1);
  });

  it('gives a client that has said all the answers it waits for', async () => {
    const { input, write, services, toClient, done } = start();
    write(request(1, 'tools/call'));
    write(request(2, 'subscriptions/listen'));
    input.end();
    await expect.poll(services[0].received).toHaveLength(2);
    services[0].send(answer(1));
    await done;
    expect(toClient()).toEqual([answer(1)]);
  });

  it('waits no longer than it may for a service that never answers', async () => {
    const { input, write, services, toClient, done } = start(50);
    write(request(1, 'tools/call'));
    await expect.poll(services[0].received).toHaveLength(1);
    input.end();
    await done;
    expect(toClient()).toEqual([]);
  });

  it('ends when a client that has said all has taken its answers, however slowly', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    const service = createService();
    let isDone = false;
    const stop = new AbortController().signal;
    const done = relay({ input, output, stop, connect: async () => service.link, drainMs: patientDrainMs });
    void done.then(() => {
      isDone = true;
    });
    input.end(`${JSON.stringify(request(1, 'tools/call'))}\n`);
    await expect.poll(service.received).toHaveLength(1);
    const large = answer(1, { text: 'x'.repeat(1_000_000) });
    service.send(large);
    await expect.poll(() => output.readableLength).toBeGreaterThan(0);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
    expect(isDone).toBe(false);
    const toClient = collect(output);
    await done;
    expect(toClient()).toEqual([large]);
  });

  it('passes on the messages of a service, also those longer than a client may send', async () => {
    const { write, services, toClient, input, done } = start();
    write(request(1, 'tools/call'));
    await expect.poll(services[0].received).toHaveLength(1);
    const large = answer(1, { text: 'x'.repeat(17 * 1024 * 1024) });
    services[0].send(large);
    await expect.poll(() => toClient().length).toBe(1);
    expect(toClient()[0]).toEqual(large);
    input.end();
    await done;
  });

  it('gives a service that is asked to end what belongs to its requests, and the next one what is new', async () => {
    const { write, services, toClient } = start();
    const [first, second] = services;
    write(request(1, 'tools/call'));
    await expect.poll(first.received).toHaveLength(1);
    first.send(request('q', 'elicitation/create'));
    await expect.poll(toClient).toHaveLength(1);
    first.askToLeave();
    await first.link.leaving?.asked;
    await new Promise(setImmediate);
    expect(first.isLeaving()).toBe(false); // it has not answered yet
    const fresh = [request(2, 'tools/call'), notify('notifications/cancelled', { requestId: 2 }), answer('other')];
    const own = [answer('q', { action: 'accept' }), notify('notifications/cancelled', { requestId: 1 })];
    for (const message of [fresh[0], own[0], fresh[1], own[1], fresh[2]]) write(message ?? {});
    await expect.poll(first.received).toEqual([request(1, 'tools/call'), ...own]);
    await expect.poll(first.isLeaving).toBe(true);
    first.send(notify('notifications/message', { data: 'the last words' }));
    first.end();
    await expect.poll(second.received).toEqual(fresh.slice(0, 2)); // that answer was not requested
    expect(toClient().at(-1)).toEqual(notify('notifications/message', { data: 'the last words' }));
  });

  it.each([
    ['answered by the next service', patientDrainMs],
    ['refused where none takes it in time', 100],
  ])('has a request that a client with nothing more to say left during a hand-over %s', async (_how, drainMs) => {
    const { write, input, services, toClient, done } = start(drainMs);
    const [first, second] = services;
    write(request(1, 'tools/call'));
    await expect.poll(first.received).toHaveLength(1);
    first.askToLeave();
    await first.link.leaving?.asked;
    await new Promise(setImmediate);
    write(request(2, 'tools/call'));
    write(request(3, 'tools/call'));
    input.end(`${JSON.stringify(notify('notifications/cancelled', { requestId: 3 }))}\n`);
    if (drainMs === patientDrainMs) {
      first.send(answer(1));
      await expect.poll(first.isLeaving).toBe(true);
      first.end();
      await expect.poll(second.received).toHaveLength(3);
      second.send(answer(2));
    }
    await done;
    const refusal = { jsonrpc: '2.0', id: 2, error: { code: -32603, message: expect.stringContaining('nothing was') } };
    expect(toClient().at(-1)).toEqual(drainMs === patientDrainMs ? answer(2) : refusal);
    expect(toClient().filter(({ id }) => id === 2)).toHaveLength(1);
  });

  it('fails where a service cannot end as it should', async () => {
    const { write, services, done } = start(0);
    write(request(1, 'tools/call'));
    await expect.poll(services[0].received).toHaveLength(1);
    services[0].askToLeave(new Error('the records could not be written'));
    await expect(done).rejects.toThrow('the records could not be written');
  });

  it('waits longer for a client that says no more where a first list may wait', async () => {
    const { services, input, done, toClient } = start(0);
    services[0].link.firstListWaitMs = patientDrainMs;
    input.end(`${JSON.stringify(request(1, 'tools/list'))}\n`);
    await expect.poll(services[0].received).toHaveLength(1);
    services[0].send(answer(1));
    await done;
    expect(toClient()).toEqual([answer(1)]);
  });

  it('ends at once when it is stopped', async () => {
    const { write, services, stop, done, toClient } = start();
    write(request(1, 'tools/call'));
    await expect.poll(services[0].received).toHaveLength(1);
    stop.abort(new Error('stopped'));
    await done;
    expect(toClient()).toEqual([]);
  });

  it('fails when no service is available', async () => {
    const { services, done } = start();
    for (const service of services) service.end();
    await expect(done).rejects.toThrow('no service is left');
  });
});

function collectText(stream: PassThrough): () => string {
  let text = '';
  stream.on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}
