// The loop breaker in the daemon: over HTTP and MCP, in metrics, explanations, and when the configuration changes.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { connectClient, placeOf } from './support/mcp.js';
import { parsePrometheus } from './support/prometheus.js';
import { asking, fixture } from './support/upstreams.js';
import { eventually } from './support/wait.js';

async function start(loops?: object) {
  const place = placeOf({
    port: 0,
    mcpServers: { s: fixture() },
    mcpHttpServer: { port: 0 },
    mcpExposure: 'native',
    loops,
  });
  const daemon = await startDaemon(undefined, place);
  await daemon.connected();
  return { daemon, place };
}

const callTimes = async (daemon: Daemon, times: number) => {
  const replies = [];
  for (let at = 0; at < times; at += 1) replies.push(await daemon.call('s.echo', { text: 'order' }));
  return replies;
};

it('refuses a repeated call over HTTP with 403, a reason, a hint and Retry-After, and explains it', async () => {
  const { daemon } = await start({ identical: 3 });
  const replies = await callTimes(daemon, 5);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 403, 403]);
  const { body, headers } = replies[4] ?? { body: undefined, headers: {} };
  expect(body?.error).toMatchObject({ code: 'POLICY_DENIED', reason: 'loop', retryable: false });
  expect(Number(headers['retry-after'])).toBe(body?.error.retry_after_secs);
  const metrics = parsePrometheus((await daemon.get('/metrics')).text).get('portico_loops_total')?.samples;
  expect(metrics).toContainEqual(expect.objectContaining({ labels: { effect: 'deny' }, value: 2 }));
  const explained = await daemon.get<{ explanation: object }>(`/v1/traces/${body?.trace_id}/explain`);
  expect(explained.body.explanation).toMatchObject({ outcome: 'denied', cause: 'loop', verified: true });
});

it('gives a model over MCP the hint to stop and ask, each session by itself', async () => {
  const { daemon } = await start({ identical: 2 });
  const connect = () => connectClient('legacy', { kind: 'http', url: daemon.mcpUrl() });
  const [first, second] = [await connect(), await connect()];
  const params = { name: 's__echo', arguments: { text: 'order' } };
  await first.request('tools/call', params);
  await first.request('tools/call', params);
  expect(await second.request('tools/call', params)).not.toHaveProperty('isError', true);
  const refused = await first.request('tools/call', params);
  expect(refused).toMatchObject({ isError: true });
  expect(JSON.stringify(refused)).toContain('do not repeat this call: report what was tried, and ask the user');
});

it('refuses a repeated call that brings a made-up request_state', async () => {
  const upstream = asking('modern');
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, loops: { identical: 3 } });
  await daemon.connected();
  for (const expected of [200, 200, 200, 403])
    expect((await daemon.call('s.whoami', {}, { request_state: 'made-up' })).status).toBe(expected);
  expect(upstream.received('tools/call')).toHaveLength(3);
});

it('is switched on, changed and switched off while the daemon runs', async () => {
  const { daemon, place } = await start();
  const write = async (loops: object | undefined, status: number) => {
    const file = JSON.parse(readFileSync(place.configFile, 'utf8'));
    writeFileSync(place.configFile, JSON.stringify({ ...file, loops }));
    await eventually(async () => {
      const replies = await callTimes(daemon, 4);
      expect(replies.at(-1)?.status).toBe(status);
    });
  };
  expect((await callTimes(daemon, 8)).every(({ status }) => status === 200)).toBe(true);
  await write({ identical: 2 }, 403);
  await write({ identical: 2, except: ['s.echo'] }, 200);
  await write({ identical: 2 }, 403);
  await write(undefined, 200);
});
