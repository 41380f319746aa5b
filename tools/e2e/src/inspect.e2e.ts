// The messages between Portico and its servers: both transports, both eras, without secrets, for those who may see them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createClient } from '@portico/client';
import type { WireFrame } from '@portico/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { onCleanup, tempFolder } from './support/cleanup.js';
import { porticoAt, startPortico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { openUnreadUpdates, openUpdates } from './support/event-stream.js';
import { hello, initialized, startMcpStdio } from './support/mcp.js';
import { plainSpeaker } from './support/plain-speaker.js';
import { fixture, scripted, startHttpFixture, tool } from './support/upstreams.js';

const planted = 'pl4nted-s3cret-value';
const secrets = [planted, 'hunter2hunter2'];

async function start(config: object) {
  const folder = tempFolder();
  const place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
  const daemon = await startDaemon({ port: 0, inspect: { enabled: true }, ...config }, place);
  return { daemon, place };
}

const framesOf = async (daemon: Daemon, query = '') => {
  const { body } = await daemon.get<{ frames: readonly WireFrame[]; counts: Record<string, number> }>(
    `/v1/inspect${query}`,
  );
  return body;
};
const callTrace = async (daemon: Daemon, id: string, args: object = {}, headers: Record<string, string> = {}) => {
  const asked = { capability_id: id, args };
  return (await daemon.post<{ trace_id: string }>('/v1/tools/call', asked, headers)).body.trace_id;
};
/** Once the messages of a call are kept: they are redacted behind it. */
const traced = async (daemon: Daemon, trace: string, count: number) => {
  let frames: readonly WireFrame[] = [];
  await expect
    .poll(async () => {
      ({ frames } = (await daemon.get<{ frames: readonly WireFrame[] }>(`/v1/traces/${trace}/frames`)).body);
      return frames.length;
    })
    .toBe(count);
  return frames;
};

const servers: readonly (readonly [string, () => Promise<object>])[] = [
  ['stdio, 2025-11-25', async () => ({ ...fixture(), env: { API_TOKEN: planted } })],
  ['stdio, 2026-07-28', async () => ({ ...fixture('--modern'), env: { API_TOKEN: planted } })],
  ...['legacy-json', 'legacy-sse', 'modern', 'old-sse'].map((mode) => [`HTTP, ${mode}`, () => overHttp(mode)] as const),
];

async function overHttp(mode: string): Promise<object> {
  const { url } = await startHttpFixture('--mode', mode, '--bearer', planted);
  return { url, headers: { Authorization: `Bearer ${planted}` } };
}

describe.each(servers)('the messages of a server over %s', (_, server) => {
  let daemon: Daemon;
  let place: Awaited<ReturnType<typeof start>>['place'];

  beforeAll(async () => {
    ({ daemon, place } = await start({ mcpServers: { s: await server() } }));
    await daemon.connected();
  });

  it('are kept with their method, time, size and trace', async () => {
    const trace = await callTrace(daemon, 's.echo', { text: 'hello' });
    const [request, response] = await traced(daemon, trace, 2);
    expect(request).toMatchObject({ server_id: 's', direction: 'sent', kind: 'request', method: 'tools/call' });
    expect(response).toMatchObject({
      direction: 'received',
      kind: 'response',
      method: 'tools/call',
      trace_id: trace,
      rpc_id: request?.rpc_id,
      duration_us: expect.any(Number),
      bytes: expect.any(Number),
    });
    expect(JSON.parse(request?.body ?? '').params).toMatchObject({ name: 'echo', arguments: { text: 'hello' } });
    expect(JSON.parse(response?.body ?? '').result.content).toEqual([{ type: 'text', text: 'hello' }]);
    const { frames } = await framesOf(daemon, '?method=tools/list&direction=received');
    expect(frames[0]).toMatchObject({ kind: 'response', method: 'tools/list' });
  });

  it('hold no secret in the list, the stream, the traces or the command', async () => {
    const stream = await openUpdates(daemon, {}, '/v1/inspect/stream');
    await callTrace(daemon, 's.whoami'); // the server repeats its environment or its headers
    const text = `password=hunter2hunter2 ${planted} {"token":"${planted}"}`;
    const trace = await callTrace(daemon, 's.echo', { text });
    await traced(daemon, trace, 2);
    await expect.poll(() => stream.events('frame').length).toBeGreaterThanOrEqual(4);
    const portico = porticoAt(place);
    const shown = [
      JSON.stringify(await framesOf(daemon, '?limit=500')),
      JSON.stringify(await traced(daemon, trace, 2)),
      stream.text(),
      (await portico(['tail', '--frames', '--no-follow', '-n', '500'])).stdout,
      (await portico(['tail', '--frames', '--no-follow', '--json', '--trace', trace])).stdout,
    ];
    for (const each of shown) {
      expect(each).toContain('REDACTED');
      for (const secret of secrets) expect(each).not.toContain(secret);
    }
    stream.close();
  });
});

const odd = '{"toString":1}';
const malformed = [
  '{"jsonrpc":"2.0","method":"notifications/progress","params":null}',
  `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${odd}}}`,
  `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${odd}}}`,
  `{"id":${odd},"method":"ping"}`,
  `{"id":${odd},"result":{}}`,
  `{"id":1,"method":${odd}}`,
  `{"method":${odd}}`,
  '{}',
];
/** Over stdio the line and the answer are one text. */
const answer = '\n{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}';

describe.each([
  ['stdio', async () => scripted({ tools: [tool('line')] }).server, answer],
  ['HTTP', () => plainSpeaker('http'), ''],
  ['HTTP+SSE', () => plainSpeaker('sse'), ''],
])('a server over %s that writes what is no JSON-RPC', (_, server, more) => {
  it('ends neither its calls nor the daemon, and what it wrote is kept', async () => {
    const { daemon } = await start({ mcpServers: { s: await server() } });
    await daemon.connected();
    for (const line of malformed) {
      const asked = { capability_id: 's.line', args: { text: line + more } };
      expect([line, (await daemon.post('/v1/tools/call', asked)).status]).toEqual([line, 200]);
    }
    const bodies = async () => (await framesOf(daemon, '?direction=received&limit=500')).frames.map(({ body }) => body);
    await expect.poll(bodies).toEqual(expect.arrayContaining(malformed));
  });
});

it('messages are printed and followed by portico tail --frames, with control characters shown as text', async () => {
  const { daemon, place } = await start({ mcpServers: { s: fixture() } });
  await daemon.connected();
  const trace = await callTrace(daemon, 's.echo', { text: 'a\u001b[31m\u202eb' });
  await traced(daemon, trace, 2);
  const portico = porticoAt(place);
  const { stdout } = await portico(['tail', '--frames', '--no-follow', '--trace', trace]);
  const [heading, sent, received] = stdout.split('\n');
  expect(heading).toMatch(/^TIME +SERVER +DIRECTION +KIND +METHOD /);
  expect(sent).toMatch(/ s +-> sent +request +tools\/call /);
  expect(received).toMatch(/ s +<- received +response +tools\/call /);
  for (const control of ['\u001b', '\u202e']) expect(stdout).not.toContain(control);
  const explained = await portico(['explain', trace]);
  expect(explained.stdout).toContain(`2 messages are kept: portico tail --frames --trace ${trace}`);
  const wrong = await portico(['tail', '--server', 's']);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('--server is about messages: add --frames')]);

  const at = ['--config', place.configFile, '--state-dir', place.stateDir];
  const following = startPortico([...at, 'tail', '--frames', '-n', '1', '--method', 'tools/call', '--json']);
  const lines = () => following.stdout().split('\n').filter(Boolean);
  await expect.poll(() => lines().length, { timeout: 20_000 }).toBe(1);
  await callTrace(daemon, 's.null_call');
  await expect.poll(() => lines().length, { timeout: 20_000 }).toBe(3);
  following.child.kill('SIGINT');
  expect((await following.exited).code).toBe(130);
});

it('a reader that does not read slows no call, and receives how much it missed', async () => {
  const { daemon } = await start({ mcpServers: { s: fixture() }, inspect: { enabled: true, maxBodyKb: 1024 } });
  await daemon.connected();
  const stalled = await openUnreadUpdates(daemon, '/v1/inspect/stream');
  const dropped = async () => (await framesOf(daemon, '?limit=1')).counts.reader_dropped ?? 0;
  let calls = 0;
  while ((await dropped()) === 0 && calls < 400) {
    for (let at = 0; at < 10; at += 1) await callTrace(daemon, 's.echo', { text: 'x'.repeat(100_000) });
    calls += 10;
  }
  expect(await dropped()).toBeGreaterThan(0); // and all these calls have ended
  expect(calls).toBeLessThan(400);
  const client = createClient({ baseUrl: daemon.url, program: 'e2e/1' });
  expect((await client.listFrames({ limit: 1 })).counts.frames).toBeGreaterThan(0);
  stalled.setEncoding('utf8');
  let delivered = '';
  stalled.on('data', (chunk: string) => {
    delivered += chunk;
  });
  await expect.poll(() => delivered.includes('event: dropped'), { timeout: 20_000 }).toBe(true);
});

it('memory stays within inspect.maxMb over many messages, and what gave way is counted', async () => {
  const { daemon } = await start({ mcpServers: { s: fixture() }, inspect: { enabled: true, maxMb: 1 } });
  await daemon.connected();
  for (let at = 0; at < 100; at += 1) await callTrace(daemon, 's.echo', { text: 'x'.repeat(30_000) });
  await expect.poll(async () => (await framesOf(daemon)).counts.evicted).toBeGreaterThan(100);
  const { counts } = await framesOf(daemon);
  expect(counts.bytes).toBeLessThanOrEqual(1024 * 1024);
  expect(counts.max_bytes).toBe(1024 * 1024);
  const metrics = await text((await fetch(`${daemon.url}/metrics`)).body as never); // of the web, as node's
  expect(metrics).toMatch(/^portico_inspect_frames \d+$/m);
  expect(metrics).toMatch(/^portico_inspect_dropped_total\{where="queue"\} \d+$/m);
});

it('nothing is kept while it is off, and it is turned on and off on open connections', async () => {
  const { daemon, place } = await start({ mcpServers: { s: fixture() }, inspect: undefined });
  await daemon.connected();
  const config = JSON.parse(readFileSync(place.configFile, 'utf8'));
  const reload = async (inspect: object) => {
    writeFileSync(place.configFile, JSON.stringify({ ...config, inspect }));
    return daemon.post<{ error?: { message: string } }>('/v1/config/reload', {});
  };
  const refused = await daemon.get<{ error: { message: string } }>('/v1/inspect');
  expect([refused.status, refused.body.error.message]).toEqual([404, expect.stringContaining('inspect.enabled')]);
  for (const path of ['/v1/inspect/stream', `/v1/traces/${'0'.repeat(32)}/frames`])
    expect((await daemon.get(path)).status).toBe(404);
  const off = await porticoAt(place)(['tail', '--frames', '--no-follow']);
  expect([off.code, off.stderr]).toEqual([1, expect.stringContaining('inspect.enabled')]);
  const before = await callTrace(daemon, 's.null_call');

  expect((await reload({ enabled: true })).status).toBe(200);
  const after = await callTrace(daemon, 's.null_call');
  await traced(daemon, after, 2);
  expect(await traced(daemon, before, 0)).toEqual([]);
  const stream = await openUpdates(daemon, {}, '/v1/inspect/stream');
  expect((await reload({ enabled: false })).status).toBe(200);
  await stream.ended;
  expect((await daemon.get('/v1/inspect')).status).toBe(404);
  const misspelt = await reload({ enabled: true, bodys: 'off' });
  expect([misspelt.status, misspelt.body.error?.message]).toEqual([400, expect.stringContaining('inspect.bodys')]);
});

describe('with roles', () => {
  const as = (name: string) => ({ Authorization: `Bearer ${name}-token-0123456789` });
  const rbac = {
    roles: { dev: { allow: ['s.work'] }, boss: { admin: true } },
    tokens: [
      ...['ann', 'bob'].map((actorId) => ({ role: 'dev', actorId, token: `${actorId}-token-0123456789` })),
      { role: 'boss', actorId: 'eve', token: 'eve-token-0123456789' },
    ],
  };

  it('admins see all messages, others those of their own calls, for every trace that they name', async () => {
    const { server } = scripted({ tools: [tool('work'), tool('hidden')] });
    const { daemon } = await start({ mcpServers: { s: server }, rbac });
    const status = async (path: string, who: string) => (await daemon.get(path, as(who))).status;
    await expect
      .poll(async () => (await daemon.get<{ capabilities: [] }>('/v1/capabilities', as('ann'))).body.capabilities)
      .toHaveLength(1);
    const trace = await callTrace(daemon, 's.work', {}, as('ann'));
    const traceparent = `00-${trace}-${'a1'.repeat(8)}-01`;
    await callTrace(daemon, 's.work', {}, { ...as('bob'), traceparent }); // joins the trace of another
    await callTrace(daemon, 's.hidden', {}, { ...as('bob'), traceparent });
    const seen = async (who: string) =>
      (await daemon.get<{ frames: readonly WireFrame[] }>(`/v1/traces/${trace}/frames`, as(who))).body.frames;
    await expect.poll(async () => (await seen('eve')).length).toBe(4);
    const [ann, bob] = [await seen('ann'), await seen('bob')];
    expect([ann.length, bob.length]).toEqual([2, 2]);
    expect(ann.map(({ id }) => id)).not.toContain(bob[0]?.id);
    for (const path of ['/v1/inspect', '/v1/inspect/stream']) expect(await status(path, 'ann')).toBe(403);
    expect(await status('/v1/inspect', 'eve')).toBe(200);
  });
});

it('an explanation is a resource of MCP clients that no list has, and only of traces that there are', async () => {
  const { daemon, place } = await start({ mcpServers: { s: fixture() } });
  await daemon.connected();
  const trace = await callTrace(daemon, 's.null_call');
  const stdio = startMcpStdio(place);
  onCleanup(() => stdio.child.kill());
  stdio.write(hello(1, {}, { name: 'agent', version: '1' }));
  await stdio.answer(1);
  stdio.write(initialized);
  const ask = async (id: number, method: string, params: object) => {
    stdio.write({ jsonrpc: '2.0', id, method, params });
    return JSON.stringify(await stdio.answer(id));
  };
  expect(await ask(2, 'resources/templates/list', {})).not.toContain('portico://traces');
  expect(await ask(3, 'resources/list', {})).not.toContain('portico://traces');
  const read = await ask(4, 'resources/read', { uri: `portico://traces/${trace}` });
  expect(read).toContain('\\"outcome\\":\\"success\\"');
  expect(await ask(5, 'resources/read', { uri: `portico://traces/${'0'.repeat(32)}` })).toContain('Resource not found');
});
