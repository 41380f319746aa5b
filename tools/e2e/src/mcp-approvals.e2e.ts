// Gated calls of MCP clients: put to the user of a client that can show forms, left to an operator for others.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1HttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';

type Answer = { action: 'accept'; content: { decision: string } } | { action: 'decline' };
type Call = (name: string, args: object) => Promise<{ readonly isError?: unknown; readonly text: string }>;

/** A client that answers its forms, and what they said. */
type Connect = (url: URL, answer: Answer | null) => Promise<{ readonly call: Call; readonly asked: string[] }>;

const legacy: Connect = async (url, answer) => {
  const asked: string[] = [];
  const capabilities = answer === null ? {} : { elicitation: {} };
  const client = new V1Client({ name: 'old', version: '1' }, { capabilities });
  if (answer !== null) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return answer;
    });
  }
  await client.connect(new V1HttpTransport(url) as Parameters<typeof client.connect>[0]);
  onCleanup(() => client.close());
  const call: Call = async (name, args) => {
    const { isError, ...rest } = await client.callTool({ name, arguments: { ...args } });
    return { isError, text: JSON.stringify(rest) };
  };
  return { call, asked };
};

const modern: Connect = async (url, answer) => {
  const asked: string[] = [];
  const client = new Client(
    { name: 'new', version: '1' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      capabilities: answer === null ? {} : { elicitation: { form: {} } },
    },
  );
  if (answer !== null) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return answer;
    });
  }
  await client.connect(new StreamableHTTPClientTransport(url));
  onCleanup(() => client.close());
  const call: Call = async (name, args) => {
    const { isError, ...rest } = await client.callTool({ name, arguments: { ...args } });
    return { isError, text: JSON.stringify(rest) };
  };
  return { call, asked };
};

async function start() {
  const upstream = scripted({ tools: [tool('gated')] });
  const daemon = await startDaemon({
    mcpServers: { s: upstream.server },
    mcpHttpServer: { port: 0 },
    capabilityAliases: { gated: { target: 's.gated', passthrough: true } },
    policy: { requireApproval: ['s.gated'] },
  });
  await daemon.connected();
  return { upstream, daemon, url: new URL(daemon.mcpUrl()) };
}

const approve: Answer = { action: 'accept', content: { decision: 'approve' } };

describe.each([
  ['2025-11-25', legacy],
  ['2026-07-28', modern],
])('a client of %s', (_revision, connect) => {
  it.each(['gated', 'capability_call'])('has its user approve, and gets the result of %s', async (name) => {
    const { upstream, daemon, url } = await start();
    const { call, asked } = await connect(url, approve);
    const args = { n: 1, token: 'hidden' };
    const result = await call(name, name === 'gated' ? args : { capability_id: 's.gated', args });
    expect([result.isError, result.text.replaceAll('\\"', '"')]).toEqual([
      undefined,
      expect.stringContaining('"arguments":{"n":1,"token":"hidden"}'),
    ]);
    expect(asked).toEqual([
      expect.stringMatching(
        /^"s\.gated" needs your approval \(appr-\d+-\d+\)\.\nArguments:\n {2}n: 1\n {2}token: \[REDACTED\]$/,
      ),
    ]);
    expect(upstream.received('tools/call')).toHaveLength(1);
    const { body } = await daemon.get<{ approvals: readonly object[] }>('/v1/approvals');
    expect(body.approvals).toMatchObject([
      { status: { status: 'approved', operator: expect.stringContaining('at the client') } },
    ]);
  });

  it('has its user decline, and nothing runs', async () => {
    const { upstream, url } = await start();
    const { call } = await connect(url, { action: 'decline' });
    const { isError, text } = await call('gated', {});
    expect([isError, text]).toEqual([true, expect.stringContaining('APPROVAL_REJECTED')]);
    expect(upstream.received('tools/call')).toEqual([]);
  });

  it('that shows no forms receives the ticket, and approval_status has the outcome', async () => {
    const { daemon, url } = await start();
    const { call } = await connect(url, null);
    const { isError, text } = await call('gated', { n: 2 });
    expect([isError, text]).toEqual([true, expect.stringContaining('APPROVAL_PENDING')]);
    const [id = ''] = /appr-\d+-\d+/.exec(text) ?? [];
    expect((await call('approval_status', { approval_id: id })).text).toContain('pending');
    expect((await daemon.post(`/v1/approvals/${id}/approve`, { operator: 'ann' })).status).toBe(200);
    const status = (await call('approval_status', { approval_id: id })).text.replaceAll('\\"', '"');
    expect(status).toContain('"arguments":{"n":2}');
  });
});
