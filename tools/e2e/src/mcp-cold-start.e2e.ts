// A client that lists once sees what slow servers have, on the very first start; and what was read is kept by a process that
// ends right after.
import { describe, expect, it } from 'vitest';
import { startDaemon } from './support/daemon.js';
import {
  argsOf,
  callOf,
  connectClient,
  type DaemonFiles,
  hello,
  initialized,
  type Mode,
  mcpStdioMain,
  modernRequest,
  placeOf,
  startMcpStdio,
} from './support/mcp.js';
import { type Definitions, dead, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

/** Longer than any machine takes for a server that starts in two seconds. */
const patient = { firstListWaitMs: 60_000 };
const modes: readonly Mode[] = ['v1', 'legacy', 'auto', 'modern'];
const slow = (name: string, rest: Definitions = {}) => scripted({ tools: [tool(name)], startMs: 2000, ...rest });

function setUp(mcp: object = patient) {
  const [one, two] = [
    slow('one'),
    slow('two', { prompts: [{ name: 'hi' }], resources: [{ uri: 'x://y', name: 'y' }] }),
  ];
  const mcpServers = { one: one.server, two: two.server, dead };
  return { one, two, place: placeOf({ mcp, mcpExposure: 'native', mcpServers }) };
}

const stdio = (place: DaemonFiles) => ({ kind: 'stdio', args: [mcpStdioMain, ...argsOf(place)] }) as const;
const namesIn = (result: Readonly<Record<string, unknown>>, list = 'tools') =>
  (result[list] as readonly { readonly name: string }[]).map(({ name }) => name).sort();
const listOf = (id: number, method = 'tools/list') => ({ jsonrpc: '2.0', id, method, params: {} });

async function open(place: DaemonFiles) {
  const client = startMcpStdio(place);
  client.write(hello(0));
  await client.answer(0);
  client.write(initialized);
  return client;
}

describe('a client over stdio that lists once and ends, on the very first start', () => {
  it.each(modes)('sees the tools of slow servers, and not only at the next start (%s)', async (mode) => {
    const { one, two, place } = setUp();
    const first = await connectClient(mode, stdio(place));
    expect(namesIn(await first.request('tools/list'))).toEqual(['one__one', 'two__two']);
    await first.close();
    for (const upstream of [one, two]) upstream.define({ isHeld: true });
    const second = await connectClient(mode, stdio(place));
    expect(namesIn(await second.request('tools/list'))).toEqual(['one__one', 'two__two']);
    expect(namesIn(await second.request('prompts/list'), 'prompts')).toEqual(['two__hi']);
  });

  it.each(['SIGKILL', 'SIGTERM', 'the end of its input'] as const)('has left what it saw: %s', async (how) => {
    const { one, two, place } = setUp();
    const first = await open(place);
    first.write(listOf(1));
    await first.answer(1);
    if (how === 'the end of its input') first.child.stdin.end();
    else first.child.kill(how);
    await first.exited;
    for (const upstream of [one, two]) upstream.define({ isHeld: true });
    const second = await open(place);
    second.write(listOf(1));
    const { result } = await second.answer(1);
    expect(namesIn(result as never)).toEqual(['one__one', 'two__two']);
  });

  it('gets its answer though it has closed its end, however long that takes', async () => {
    const { place } = setUp();
    const client = startMcpStdio(place);
    for (const message of [hello(0), initialized, listOf(1), listOf(2, 'resources/list')]) client.write(message);
    client.child.stdin.end();
    expect(await client.exited).toBe(0);
    expect(namesIn((await client.answer(1)).result as never)).toEqual(['one__one', 'two__two']);
    expect(client.received().map(({ id }) => id)).toContain(2);
  });

  it('finds and calls what they have through the facade, with its first words', async () => {
    const server = slow('push', { tools: [tool('push', { description: 'Pushes commits' })] });
    const client = await open(placeOf({ mcp: patient, mcpServers: { git: server.server } }));
    client.write(callOf(1, 'capability_search', { query: 'push commits' }));
    client.write(callOf(2, 'capability_call', { capability_id: 'git.push', args: {} }));
    expect(JSON.stringify(await client.answer(1))).toContain('git.push');
    expect(await client.answer(2)).toMatchObject({ result: { structuredContent: { ok: true } } });
    expect(server.received('tools/call')).toHaveLength(1);
  });
});

describe('a server that hangs', () => {
  it('costs a client no more than the time, and its tools are announced when they are there', async () => {
    const hung = scripted({ tools: [tool('late')], isHeld: true });
    const ready = scripted({ tools: [tool('now')] });
    const mcpServers = { hung: hung.server, ready: ready.server };
    const place = placeOf({ mcp: { firstListWaitMs: 3000 }, mcpExposure: 'native', mcpServers });
    const client = await open(place);
    client.write(listOf(1));
    client.write(listOf(2, 'prompts/list'));
    expect(namesIn((await client.answer(1)).result as never)).toEqual(['ready__now']);
    await client.answer(2);
    client.write(callOf(3, 'hung__late'));
    expect(await client.answer(3)).toMatchObject({ result: { isError: true } });
    const changes = () =>
      client.received().filter(({ method }) => method === 'notifications/tools/list_changed').length;
    const before = changes();
    hung.define({ tools: [tool('late')] });
    await eventually(() => expect(changes()).toBeGreaterThan(before));
    client.write(listOf(4));
    expect(namesIn((await client.answer(4)).result as never)).toEqual(['hung__late', 'ready__now']);
  });
});

describe('a client over HTTP', () => {
  it.each(['legacy', 'modern'] as const)(
    'waits for the first list as well, and the HTTP API does not (%s)',
    async (mode) => {
      const server = scripted({ tools: [tool('one')], isHeld: true });
      const config = {
        mcp: patient,
        mcpExposure: 'native',
        mcpServers: { s: server.server },
        mcpHttpServer: { port: 0 },
      };
      const daemon = await startDaemon(config);
      const client = await connectClient(mode, { kind: 'http', url: daemon.mcpUrl() });
      const list = client.request('tools/list');
      expect(await daemon.ids('capabilities')).toEqual([]);
      server.define({ tools: [tool('one')] });
      expect(namesIn(await list)).toEqual(['s__one']);
    },
  );

  it('that goes away or cancels while it waits is waited for no longer, and its call is not run', async () => {
    const server = scripted({ tools: [tool('one')], isHeld: true });
    const config = {
      mcp: patient,
      mcpExposure: 'native',
      mcpServers: { s: server.server },
      mcpHttpServer: { port: 0 },
    };
    const daemon = await startDaemon(config);
    const leaving = new AbortController();
    const { body, headers } = modernRequest(1, 'tools/call', { name: 's__one', arguments: {} });
    const asked = fetch(daemon.mcpUrl(), {
      method: 'POST',
      signal: leaving.signal,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    }).catch(() => {});
    await eventually(async () => expect((await daemon.server('s')).status).toBe('connecting'));
    leaving.abort();
    await asked;
    server.define({ tools: [tool('one')] });
    await daemon.connected();
    const client = await connectClient('modern', { kind: 'http', url: daemon.mcpUrl() });
    await client.request('tools/call', { name: 's__one', arguments: { n: 2 } });
    expect(server.received('tools/call').map(({ params }) => params.arguments)).toEqual([{ n: 2 }]);
  });
});
