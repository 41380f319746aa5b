// Calls right after a start: to servers that are listed, since they were known, and are not connected yet.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { restart } from '../../testing/restart.js';
import { startConfigured } from '../../testing/start-configured.js';
import { type CallInput, caller, tool } from '../../testing/start-plane.js';

const git: MemoryServer = {
  definitions: {
    tools: [tool('a')],
    prompts: [{ name: 'p' }],
    resources: [{ uri: 'x:y', name: 'y' }],
  },
  handle: () => ({ content: [], contents: [], messages: [] }),
};
const node = { command: 'node' };
const call: CallInput = { kind: 'tool', id: 'git.a' };
const toolTimeoutMs = 30_000;
const nothingSent = { upstream_execution_state: 'not_started' };

/** A start after another, with the server on its first attempt to connect until the test ends that. */
async function startKnown(definition: JsonObject = node) {
  let end = (_error?: Error) => {};
  const first = new Promise<void>((resolve, reject) => {
    end = (error) => (error === undefined ? resolve() : reject(error));
  });
  const file = (server: JsonObject) => ({ toolTimeoutMs, mcpServers: { git: server } });
  const before = await startConfigured({ git }, file(node));
  const onConnect = (attempt: number) => (attempt === 1 ? first : new Promise<never>(() => {}));
  const started = await restart(before, { git: { ...git, onConnect } }, file(definition));
  const ended: JsonObject[] = [];
  const send = async (input: CallInput = call) => {
    void started.outcome(input).then(({ envelope }) => ended.push(envelope as never));
    await started.clock.advance(0);
  };
  const connect = async () => {
    end();
    await started.clock.advance(0);
  };
  const fail = async () => {
    end(new Error('cannot start'));
    await started.clock.advance(0);
  };
  return { ...started, send, ended, connect, fail, requests: () => started.server('git').requests().length };
}

describe('a call to a server that is listed and on its first attempt', () => {
  it.each<CallInput>([call, { kind: 'resource', id: 'git.x:y' }, { kind: 'prompt', id: 'git.p' }])(
    'waits for it, and is sent once ($kind)',
    async (input) => {
      const { clock, send, ended, connect, requests, statusOf } = await startKnown();
      await send(input);
      await clock.advance(toolTimeoutMs - 1000);
      expect([ended, requests(), statusOf('git')]).toEqual([[], 0, 'connecting']);
      await connect();
      expect([ended, requests()]).toMatchObject([[{ ok: true }], 1]);
    },
  );

  it('is refused with the reason when that fails, as is every call while it is tried again', async () => {
    const { clock, send, ended, fail, requests, server } = await startKnown();
    await send();
    expect(ended).toEqual([]);
    await fail();
    await send();
    await clock.advance(500);
    expect(server('git').connects()).toBe(2);
    await send();
    const error = { code: 'SERVER_UNREACHABLE', message: 'server "git" is degraded: cannot start', retryable: true };
    expect(ended).toMatchObject(Array.from({ length: 3 }, () => ({ ok: false, error, retry: nothingSent })));
    expect(requests()).toBe(0);
  });

  it('waits no longer than its time, and its key is free for another try', async () => {
    const { clock, send, ended, connect, requests } = await startKnown();
    const keyed = { ...call, idempotencyKey: 'k' };
    await send(keyed);
    await clock.advance(toolTimeoutMs);
    const message = `server "git" could not be sent the call within ${toolTimeoutMs} ms (toolTimeoutMs): it is still starting`;
    expect(ended).toMatchObject([{ error: { code: 'UPSTREAM_TIMEOUT', message }, retry: nothingSent }]);
    await connect();
    await send(keyed);
    await send(keyed);
    expect([ended[1], ended[2], requests()]).toEqual([expect.objectContaining({ ok: true }), ended[1], 1]);
  });

  it('is ended by a cancel', async () => {
    const { plane, send, ended, connect, requests, clock } = await startKnown();
    await send({ ...call, correlation: { requestId: 'r', traceId: 'b7'.repeat(16) } });
    expect(await plane.cancel(caller.principal, 'r')).toBe(true);
    await clock.advance(0);
    expect(ended).toMatchObject([{ error: { code: 'OPERATION_CANCELLED' }, retry: nothingSent }]);
    await connect();
    expect(requests()).toBe(0);
  });

  it('is ended by the end of the service, after the time that calls have for it', async () => {
    const { plane, clock, send, ended, requests } = await startKnown();
    await send();
    const closed = plane.close(5000);
    await clock.advance(4999);
    expect(ended).toEqual([]);
    await clock.advance(1);
    await closed;
    const error = { code: 'OPERATION_CANCELLED', message: 'the service is stopping' };
    expect([ended, requests()]).toMatchObject([[{ error, retry: nothingSent }], 0]);
  });
});

it('a call to a server that may say something else than it did is refused at once, as of one that is new', async () => {
  const { send, ended } = await startKnown({ command: 'deno' });
  await send();
  const error = { code: 'SERVER_UNREACHABLE', message: 'server "git" is still connecting', retryable: true };
  expect(ended).toMatchObject([{ error, retry: nothingSent }]);
});
