// Roots: the answers to servers that ask for them over HTTP and over MCP, from the configuration or by the caller.
import { readFileSync, writeFileSync } from 'node:fs';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { startDaemon } from './support/daemon.js';
import { connectClient, placeOf } from './support/mcp.js';
import { asking } from './support/upstreams.js';

const roots = [{ uri: 'file:///srv/work', name: 'work' }, { uri: 'file:///srv/more' }];
const own = [{ uri: 'file:///home/ann' }];
const listRoots = { method: 'roots/list', params: {} };
const config = (era: 'legacy' | 'modern', more: object = {}) => ({
  mcpServers: { s: asking(era).server },
  mcpHttpServer: { port: 0 },
  mcpExposure: 'native',
  roots,
  ...more,
});

interface Interim {
  readonly resultType?: string;
  readonly inputRequests: Readonly<Record<string, { readonly method: string }>>;
  readonly requestState: string;
  readonly structuredContent: { readonly replies: unknown };
}

describe.each(['legacy', 'modern'] as const)('a %s server that asks for roots', (era) => {
  it('has those of the configuration for a caller over HTTP, in one answer', async () => {
    const daemon = await startDaemon(config(era));
    await daemon.connected();
    const { status, body } = await daemon.call<Interim>('s.ask', listRoots);
    expect([status, body.data.structuredContent.replies]).toEqual([200, [{ roots }]]);
    const task = await daemon.post<{ data: { task: { task_id: string } } }>(
      '/v1/tools/call',
      { capability_id: 's.ask', args: listRoots },
      { prefer: 'respond-async' },
    );
    expect(task.status).toBe(202);
    const steps = [{ id: 'a', capability_id: 's.ask', args: listRoots }];
    const batch = await daemon.post('/v1/tools/batch_call', { steps });
    if (era === 'legacy')
      expect(batch.body).toMatchObject({ results: [{ data: { structuredContent: { replies: [{ roots }] } } }] });
  });

  it('has an empty list without configured ones', async () => {
    const daemon = await startDaemon(config(era, { roots: undefined }));
    await daemon.connected();
    const { body } = await daemon.call<Interim>('s.ask', listRoots);
    expect(body.data.structuredContent.replies).toEqual([{ roots: [] }]);
    for (const mode of ['v1', 'modern'] as const) {
      const client = await connectClient(mode, { kind: 'http', url: daemon.mcpUrl() });
      const replies = await client.request('tools/call', { name: 's__ask', arguments: listRoots });
      expect(replies.structuredContent).toEqual({ replies: [{ roots: [] }] });
    }
    if (era === 'legacy') return;
    const client = await connectClient('modern', { kind: 'http', url: daemon.mcpUrl() });
    const { structuredContent } = await client.request('tools/call', { name: 's__echo', arguments: {} });
    // Else a server that looks at what is declared to it would refuse to ask.
    expect(structuredContent).toMatchObject({ _meta: { 'io.modelcontextprotocol/clientCapabilities': { roots: {} } } });
  });

  it('asks a caller over HTTP that accepts the question', async () => {
    const daemon = await startDaemon(config(era));
    await daemon.connected();
    const accepting = { accept_input: ['roots'] };
    const { data } = (await daemon.call<Interim>('s.ask', listRoots, accepting)).body;
    const [key = '', request] = Object.entries(data.inputRequests)[0] ?? [];
    expect([data.resultType, request?.method]).toEqual(['input_required', 'roots/list']);
    const turn = { ...accepting, request_state: data.requestState, input_responses: { [key]: { roots: own } } };
    const { body } = await daemon.call<Interim>('s.ask', listRoots, turn);
    expect(body.data.structuredContent.replies).toEqual([{ roots: own }]);
  });

  it('has those of the client that declares them, and of the configuration for one that does not', async () => {
    const daemon = await startDaemon(config(era));
    await daemon.connected();
    const declares = new V1Client({ name: 'rooted', version: '1' }, { capabilities: { roots: {} } });
    declares.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: own }));
    await declares.connect(
      new V1HttpTransport(new URL(daemon.mcpUrl())) as unknown as Parameters<V1Client['connect']>[0],
    );
    onCleanup(() => declares.close());
    const asked = await declares.callTool({ name: 's__ask', arguments: listRoots });
    expect(asked.structuredContent).toEqual({ replies: [{ roots: own }] });
    for (const mode of ['v1', 'modern'] as const) {
      const client = await connectClient(mode, { kind: 'http', url: daemon.mcpUrl() });
      const replies = await client.request('tools/call', { name: 's__ask', arguments: listRoots });
      expect(replies.structuredContent).toEqual({ replies: [{ roots }] });
    }
  });

  it('has them as they are in the file when it asks', async () => {
    const { configFile, stateDir } = placeOf({ port: 0, ...config(era) });
    const daemon = await startDaemon(undefined, { configFile, stateDir });
    await daemon.connected();
    const replies = async () => (await daemon.call<Interim>('s.ask', listRoots)).body.data.structuredContent.replies;
    expect(await replies()).toEqual([{ roots }]);
    const file = JSON.parse(readFileSync(configFile, 'utf8'));
    writeFileSync(configFile, JSON.stringify({ ...file, roots: own }));
    expect((await daemon.post('/v1/config/reload', {})).status).toBe(200);
    expect(await replies()).toEqual([{ roots: own }]);
  });
});

describe('accept_input', () => {
  it('with a kind that there is not is refused, with the one that is probably meant', async () => {
    const daemon = await startDaemon(config('legacy'));
    await daemon.connected();
    const { status, body } = await daemon.call('s.ask', listRoots, { accept_input: ['root'] });
    expect([status, body.error?.code]).toEqual([400, 'INVALID_ARGS']);
    expect(body.error?.message).toContain('accept_input[0]: unknown kind of question; did you mean "roots"?');
  });
});
