// The journey of the README against the reference server of MCP, over streamable HTTP.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import { onCleanup } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { everythingMain } from './support/everything.js';
import { accepts, eventually, freePort } from './support/wait.js';
import type { Description, Envelope } from './support/wire.js';

describe('the everything server over streamable HTTP', () => {
  let daemon: Daemon;

  beforeAll(async () => {
    const port = await freePort();
    const server = spawn(process.execPath, [everythingMain, 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    const exited = once(server, 'exit');
    onCleanup(async () => {
      server.kill('SIGKILL');
      await exited;
    });
    await eventually(async () => expect(await accepts(port)).toBe(true));
    daemon = await startDaemon({ mcpServers: { everything: { url: `http://127.0.0.1:${port}/mcp` } } });
    await daemon.connected();
  });

  it('is connected, in a session of the revision it speaks [upstream-http]', async () => {
    expect(await daemon.server('everything')).toMatchObject({
      transport: 'http',
      status: 'connected',
      protocol_version: '2025-11-25',
      circuit: { state: 'closed' },
    });
  });

  it('is listed compactly and found by what it does', async () => {
    expect(await daemon.ids('capabilities')).toEqual(
      expect.arrayContaining(['everything.echo', 'everything.get-env', 'everything.get-sum']),
    );
    const { body } = await daemon.search({ query: 'add two numbers', limit: 1 });
    expect(body.capabilities).toEqual([
      {
        id: 'everything.get-sum',
        summary: 'Returns the sum of two numbers',
        server: 'everything',
        tags: ['everything', 'idempotent', 'read-only'],
        mode: 'read',
        score: expect.any(Number),
        match_types: ['lexical', 'semantic'],
      },
    ]);
  });

  it('is described and called', async () => {
    const described = await daemon.get<Description>('/v1/capabilities/everything.get-sum');
    expect(described.body.capability.input_schema).toMatchObject({ type: 'object', required: ['a', 'b'] });
    const { status, body } = await daemon.call<unknown>('everything.get-sum', { a: 2, b: 3 });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      request_id: null,
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      retry: { classification: 'safe', upstream_execution_state: 'completed' },
      data: { content: [{ type: 'text', text: 'The sum of 2 and 3 is 5.' }] },
      error: null,
    });
  });

  it('gives structured content as it is', async () => {
    const { body } = await daemon.call<{ structuredContent: object }>('everything.get-structured-content', {
      location: 'Chicago',
    });
    expect(body.data.structuredContent).toEqual({
      temperature: expect.any(Number),
      conditions: expect.any(String),
      humidity: expect.any(Number),
    });
  });

  it('has its resources read, by URI and by template', async () => {
    const read = (id: string) =>
      daemon.post<Envelope<{ contents: { uri: string; text: string }[] }>>('/v1/resources/read', { resource_id: id });
    for (const uri of ['demo://resource/static/document/features.md', 'demo://resource/dynamic/text/3']) {
      const { status, body } = await read(`everything.${uri}`);
      expect([status, body.data.contents[0]?.uri, typeof body.data.contents[0]?.text]).toEqual([200, uri, 'string']);
    }
  });

  it('has its prompts got and its arguments completed', async () => {
    const { status, body } = await daemon.post<Envelope<{ messages: object[] }>>('/v1/prompts/get', {
      prompt_id: 'everything.args-prompt',
      arguments: { city: 'Rome' },
    });
    expect([status, body.data.messages]).toEqual([
      200,
      [{ role: 'user', content: { type: 'text', text: "What's weather in Rome?" } }],
    ]);
    const completed = await daemon.post('/v1/completion/complete', {
      ref_type: 'prompt',
      ref_name: 'everything.completable-prompt',
      argument_name: 'department',
      argument_value: 'E',
    });
    expect([completed.status, completed.body]).toMatchObject([200, { ok: true, data: { values: ['Engineering'] } }]);
  });

  it('is answered for with 304, 404 and 400 without being contacted', async () => {
    const { headers } = await daemon.list('capabilities');
    const unchanged = await daemon.list('capabilities', { 'if-none-match': String(headers.etag) });
    expect([unchanged.status, unchanged.text]).toEqual([304, '']);
    const unknown = await daemon.call('everything.no-such-tool');
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'TOOL_NOT_FOUND']);
    const wrong = await daemon.call('everything.get-sum', { a: 2 });
    expect([wrong.status, wrong.body.error]).toEqual([
      400,
      {
        code: 'INVALID_ARGS',
        message: 'args.b: is required',
        retryable: false,
        hint: expect.stringContaining('GET /v1/capabilities/everything.get-sum'),
      },
    ]);
  });
});
