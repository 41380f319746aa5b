// The in-memory connector keeps the contract of its port: what sessions do, report and reject with.
import { describe, expect, it } from 'vitest';
import { createMemoryConnector, type MemoryServer } from './memory-connector.js';
import { requestOf, type UpstreamEvents, type UpstreamRequest } from './session.js';
import { configOf } from './testing/one-server.js';

const call: UpstreamRequest = { method: 'tools/call', params: { name: 'add', arguments: {} } };

function recordEvents() {
  const seen: string[] = [];
  const events: UpstreamEvents = {
    onClosed: (reason) => seen.push(`closed: ${reason}`),
    onListChanged: () => seen.push('list changed'),
    onResourceUpdated: (uri) => seen.push(`updated: ${uri}`),
    onLog: (line) => seen.push(`log: ${line}`),
    onLogMessage: ({ data }) => seen.push(`message: ${data}`),
    async onServerRequest({ method }) {
      seen.push(`question: ${method}`);
      return { answer: 42 };
    },
  };
  return { seen, events };
}

async function connectTo(server: MemoryServer, control = new AbortController()) {
  const connector = createMemoryConnector({ s: server });
  const { seen, events } = recordEvents();
  const session = await connector.connect('s', configOf({ command: 'node' }), events, control.signal);
  return { session, seen, control: connector.server('s'), signal: new AbortController().signal };
}

describe('createMemoryConnector', () => {
  it('answers with what the handler gives, and records the requests', async () => {
    const { session, control, signal } = await connectTo({ handle: ({ method }) => ({ method }), pid: 7 });
    expect(await requestOf(session, call, signal)).toEqual({ method: 'tools/call' });
    expect(control.requests()).toEqual([call]);
    expect([session.protocolVersion, session.pid]).toEqual(['2025-11-25', 7]);
  });

  it('fills the lists that a server does not have, and re-reads changed ones', async () => {
    const { session, seen, control, signal } = await connectTo({});
    const empty = { tools: [], resources: [], resourceTemplates: [], prompts: [] };
    expect(await session.discover(signal)).toEqual(empty);
    control.change({ prompts: [{ name: 'greet' }] });
    expect(seen).toEqual(['list changed']);
    expect(await session.discover(signal)).toEqual({ ...empty, prompts: [{ name: 'greet' }] });
    expect(control.discoveries()).toBe(2);
  });

  it('rejects a request at once when it is cancelled, and records the cancel', async () => {
    const { session, control } = await connectTo({ handle: () => new Promise(() => {}) });
    const caller = new AbortController();
    const answer = requestOf(session, call, caller.signal);
    caller.abort('no longer wanted');
    await expect(answer).rejects.toBe('no longer wanted');
    expect(control.cancels()).toEqual([call]);
  });

  it('loses requests on the way when it is dropped, and reports the end once', async () => {
    const { session, seen, control, signal } = await connectTo({ handle: () => new Promise(() => {}) });
    const lost = requestOf(session, call, signal);
    control.drop('child exited with code 1');
    control.drop('again');
    await expect(lost).rejects.toMatchObject({
      message: 'child exited with code 1',
      detail: { kind: 'unreachable', sent: true },
    });
    await expect(requestOf(session, call, signal)).rejects.toMatchObject({
      detail: { kind: 'unreachable', sent: false },
    });
    expect(seen).toEqual(['closed: child exited with code 1']);
    expect(control.sessions()).toBe(0);
  });

  it('reports nothing after close, which may be called twice', async () => {
    const { session, seen, control } = await connectTo({});
    await session.close();
    await session.close();
    control.drop('too late');
    control.change({});
    control.log('too late');
    control.updateResource('x:y');
    expect(seen).toEqual([]);
  });

  it('gives up a connect that hangs when the signal aborts, and leaves no session', async () => {
    const connector = createMemoryConnector({ s: { onConnect: () => new Promise(() => {}) } });
    const control = new AbortController();
    const connecting = connector.connect('s', configOf({ command: 'node' }), recordEvents().events, control.signal);
    control.abort('stopped');
    await expect(connecting).rejects.toBe('stopped');
    expect([connector.server('s').connects(), connector.server('s').sessions()]).toEqual([1, 0]);
  });

  it('knows only the servers it was given', async () => {
    const connector = createMemoryConnector({});
    const { events } = recordEvents();
    const signal = new AbortController().signal;
    await expect(connector.connect('constructor', configOf({ command: 'node' }), events, signal)).rejects.toMatchObject(
      {
        message: 'there is no server "constructor"',
      },
    );
    expect(() => connector.server('s')).toThrow('there is no server "s"');
  });
});
