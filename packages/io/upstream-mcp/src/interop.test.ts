// Against servers that others wrote: the reference server, and one built with the SDK's server package.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { requestOf, type UpstreamSession } from '@portico/upstream-pool';
import { afterEach, describe, expect, it } from 'vitest';
import {
  call,
  cleanUp,
  connect,
  firstMatch,
  httpServer,
  node,
  onCleanup,
  patience,
  type RecordedEvents,
  sdkModernServerPath,
  stdioServer,
  waitUntil,
} from './testing/kit.js';

afterEach(cleanUp);

const packages = createRequire(import.meta.url);
const everythingPath = packages
  .resolve('@modelcontextprotocol/server-everything/package.json')
  .replace('package.json', 'dist/index.js');

/**
 * The server needs a fixed port. This range is below the ports that systems assign, and above 10080, the highest that
 * `fetch` refuses (https://fetch.spec.whatwg.org/#port-blocking). Another port is tried where one is in use.
 */
async function startEverything(tries = 5): Promise<string> {
  const port = 11_000 + Math.floor(Math.random() * 20_000);
  const child = spawn(node, [everythingPath, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onCleanup(() => child.kill('SIGKILL'));
  try {
    await firstMatch(child.stderr, /listening on port/);
  } catch (error) {
    if (tries > 1 && String(error).includes('is already in use')) return startEverything(tries - 1);
    throw error;
  }
  return `http://127.0.0.1:${port}/mcp`;
}

describe('server-everything', () => {
  const behavesWell = async ({ session, events }: { session: UpstreamSession; events: RecordedEvents }) => {
    expect(session.protocolVersion).toBe('2025-11-25');
    await waitUntil(() => events.listChanges() > 0, 'the lists are worth a second look');
    const { tools, resources, resourceTemplates, prompts } = await session.discover(patience());
    expect(tools).toHaveLength(17);
    expect(tools.find(({ name }) => name === 'get-structured-content')?.outputSchema).toMatchObject({ type: 'object' });
    expect(resources).toHaveLength(7);
    expect(resourceTemplates).toHaveLength(2);
    expect(prompts.map(({ name }) => name).sort()).toEqual([
      'args-prompt',
      'completable-prompt',
      'resource-prompt',
      'simple-prompt',
    ]);
    expect(await call(session, 'echo', { message: 'hi' })).toEqual({ content: [{ type: 'text', text: 'Echo: hi' }] });
    expect(await call(session, 'get-structured-content', { location: 'Chicago' })).toHaveProperty('structuredContent');
    const uri = resources[0]?.uri as string;
    expect(await requestOf(session, { method: 'resources/read', params: { uri } }, patience())).toMatchObject({
      contents: [{ uri }],
    });
    const ref = { type: 'ref/prompt', name: 'completable-prompt' };
    const params = { ref, argument: { name: 'department', value: 'E' } };
    expect(await requestOf(session, { method: 'completion/complete', params }, patience())).toMatchObject({
      completion: { values: ['Engineering'] },
    });
    await expect(call(session, 'no-such-tool')).resolves.toMatchObject({ isError: true });
    await session.checkHealth(patience());
  };

  it('works over stdio', async () => {
    await behavesWell(await connect(stdioServer(node, [everythingPath, 'stdio'])));
  });

  it('works over streamable HTTP', async () => {
    const { session, events } = await connect(httpServer(await startEverything()));
    await behavesWell({ session, events });
    await session.close();
  });
});

describe('a server built with the SDK for 2026-07-28', () => {
  const behavesWell = async (session: UpstreamSession) => {
    expect(session.protocolVersion).toBe('2026-07-28');
    const { tools } = await session.discover(patience());
    expect(tools.map(({ name }) => name)).toEqual(['greet', 'wait']);
    const greeting = await call(session, 'greet');
    expect(greeting).toEqual({
      content: [{ type: 'text', text: 'hello' }],
      structuredContent: { any: ['value', 1] },
    });
    await session.checkHealth(patience());
    await expect(
      requestOf(session, { method: 'resources/read', params: { uri: 'x:y' } }, patience()),
    ).rejects.toMatchObject({ detail: { kind: 'rejected', error: { code: -32601 } } });
  };

  it('works over stdio', async () => {
    const { session, events } = await connect(stdioServer(node, [sdkModernServerPath, 'stdio']));
    await behavesWell(session);
    const caller = new AbortController();
    const waiting = call(session, 'wait', {}, caller.signal);
    await waitUntil(() => events.logs.includes('waiting'), 'the call arrived');
    caller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await waitUntil(() => events.logs.includes('cancelled'), 'the server knows of it');
  });

  it('works over HTTP', async () => {
    const child = spawn(node, [sdkModernServerPath, 'http'], { stdio: ['ignore', 'ignore', 'pipe'] });
    onCleanup(() => child.kill('SIGKILL'));
    let output = '';
    const [, port] = await firstMatch(child.stderr, /listening on (\d+)/);
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    const { session } = await connect(httpServer(`http://127.0.0.1:${port}/mcp`));
    await behavesWell(session);
    const caller = new AbortController();
    const waiting = call(session, 'wait', {}, caller.signal);
    await waitUntil(() => output.includes('waiting'), 'the call arrived');
    caller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await waitUntil(() => output.includes('cancelled'), 'the server knows of it');
  });
});
