// A session whose log messages hold no known secret, with everything else of its handler as it was.
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { requestOf, type ServerRequest, type ServerRequestHandler } from '@portico/upstream-pool';
import { expect, test } from 'vitest';
import { createAskingMemory } from '../asking-memory.js';
import { createMcpSession } from '../mcp-session.js';
import type { RpcPeer } from '../rpc-peer.js';
import { unnamed } from '../server-work.js';
import type { Transport } from '../transport.js';
import { createKnownSecrets } from './known-secrets.js';

/** With methods on its prototype, as the handler of a call has them. */
class Caller implements ServerRequestHandler {
  readonly capabilities = { roots: {} };
  readonly logLevel = 'info';
  readonly messages: JsonObject[] = [];
  readonly received: JsonObject[] = [];
  readonly progress = this;
  readonly onLogMessage = (message: JsonObject) => void this.messages.push(message);

  onProgress(progress: JsonObject): void {
    this.received.push(progress);
  }

  async onServerRequest({ method }: ServerRequest, signal: AbortSignalLike): Promise<JsonObject> {
    return { method, isOver: signal.aborted, of: this.logLevel };
  }
}

test('a handler keeps all of its members, and receives no secret', async () => {
  const secrets = createKnownSecrets();
  secrets.learn('s', ['hunter2hunter2']);
  let given: ServerRequestHandler | undefined;
  const peer: Pick<RpcPeer, 'memory' | 'dispatch' | 'request'> = {
    memory: createAskingMemory(),
    request: async () => ({}),
    dispatch(_method, _params, { handler }, settle) {
      given = handler;
      settle.resolve({});
    },
  };
  const session = createMcpSession({
    peer: peer as RpcPeer, // the rest of it is not used here
    transport: { hasReplyStreams: false } as Transport,
    agreement: { era: 'legacy', revision: '2025-11-25', capabilities: {} },
    watchResources: async () => {},
    warn() {},
    secrets,
    inStage: unnamed,
    onClose() {},
  });
  const caller = new Caller();
  const { signal } = new AbortController();
  await requestOf(session, { method: 'tools/call', params: {} }, signal, caller);
  given?.onLogMessage?.({ data: 'got hunter2hunter2' });
  given?.progress?.onProgress({ progress: 1 });
  expect(caller).toMatchObject({ messages: [{ data: 'got [REDACTED]' }], received: [{ progress: 1 }] });
  expect(given).toMatchObject({ capabilities: { roots: {} }, logLevel: 'info' });
  expect(await given?.onServerRequest({ method: 'roots/list', params: {} }, signal)).toEqual({
    method: 'roots/list',
    isOver: false,
    of: 'info',
  });
});
