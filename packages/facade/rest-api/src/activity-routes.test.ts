// The last calls over HTTP: as a list, as a stream that never waits for its reader, and over time.
import type { CallListener, ControlPlane } from '@portico/control-plane';
import { createControlPlane, createMemoryStores } from '@portico/control-plane';
import { createManualClock, createMemoryConnector } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { configOf, driveApi, randomHex } from './testing/drive-api.js';

const tools = ['a', 'b'].map((name) => ({ name, inputSchema: { type: 'object' } }));

async function start() {
  const clock = createManualClock();
  const connector = createMemoryConnector({ s: { definitions: { tools } } });
  const plane = createControlPlane(
    { connector, clock, randomHex, log: () => {}, ...createMemoryStores(clock), notifyApproval: () => {} },
    configOf(['s'], { policy: { deny: ['s.b'] } }),
  );
  plane.start();
  await clock.advance(0);
  const api = driveApi(plane);
  const call = (capability_id: string) =>
    api.post('/v1/tools/call', { capability_id, args: {} }, { 'X-Service-Client': 'agent/1' });
  const get = async (path: string) => {
    const asked = api.get(path);
    await clock.advance(0);
    await clock.advance(0);
    return asked;
  };
  return { ...api, plane, clock, call, get };
}

/** A stream whose calls the test makes. */
async function openStream(plane: ControlPlane, query = '') {
  let listener: CallListener = { calls: () => {}, missed: () => {} };
  let isFollowed = true;
  const follow: ControlPlane['recentCalls']['follow'] = (given) => {
    listener = given;
    return () => {
      isFollowed = false;
    };
  };
  const { app } = driveApi({ ...plane, recentCalls: { ...plane.recentCalls, follow } });
  const { body, headers } = await app.request(`/v1/activity/stream${query}`, { headers: { Host: '127.0.0.1:9090' } });
  const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader?.read())?.value;
  const emit = (n: number, text = '', status: 'success' | 'failed' = 'success') =>
    listener.calls([{ id: `aud-${n}`, timestamp: '', event_type: 'tool_call', status, arguments: text }]);
  const missed = (count: number) => listener.missed(count);
  return { next, emit, missed, headers, cancel: async () => reader?.cancel(), isFollowed: () => isFollowed };
}

describe('the list of the last calls', () => {
  it('is newest first, with the agent, by filter and limit', async () => {
    const { call, get } = await start();
    await call('s.a');
    await call('s.b');
    const { body } = await get('/v1/activity');
    expect(body).toMatchObject({
      ok: true,
      recorded: true,
      cursor: 'aud-000000000002',
      calls: [
        { capability_id: 's.b', status: 'denied', error_code: 'POLICY_DENIED', rule: 'deny:s.b' },
        { capability_id: 's.a', status: 'success', client: { name: 'agent', version: '1' }, channel: 'http' },
      ],
    });
    expect((await get('/v1/activity?limit=1&status=success')).body).toMatchObject({
      calls: [{ capability_id: 's.a' }],
    });
    expect((await get('/v1/activity?client=other&capability=s.a')).body).toMatchObject({ calls: [] });
  });

  it.each(['limit=0', 'limit=501', 'status=good', 'client=', 'capability=a&capability=b'])(
    'refuses %s',
    async (query) => {
      const { get } = await start();
      expect((await get(`/v1/activity?${query}`)).status).toBe(400);
    },
  );
});

describe('the stream of calls', () => {
  it('has an event for each call that matches', async () => {
    const { plane } = await start();
    const { next, emit, headers, cancel, isFollowed } = await openStream(plane, '?status=failed');
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(await next()).toBe(': connected\n\n');
    emit(1);
    emit(2, '', 'failed');
    const data = '{"id":"aud-2","timestamp":"","event_type":"tool_call","status":"failed","arguments":""}';
    expect(await next()).toBe(`id: aud-2\nevent: call\ndata: ${data}\n\n`);
    await cancel();
    expect(isFollowed()).toBe(false);
  });

  it('leaves calls out while its reader does not read, and says how many', async () => {
    const { plane } = await start();
    const { next, emit, missed } = await openStream(plane);
    const text = 'x'.repeat(100_000);
    for (let n = 1; n <= 30; n += 1) emit(n, text);
    missed(5);
    let received = '';
    while (!received.includes('event: dropped')) received += await next();
    const ids = [...received.matchAll(/^id: aud-(\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, at) => at + 1));
    expect(ids.length).toBeLessThan(20);
    expect(received.slice(received.indexOf('event: dropped'))).toBe(
      `event: dropped\ndata: {"count":${30 - ids.length + 5}}\n\n`,
    );
    emit(31);
    expect(await next()).toContain('id: aud-31\n');
  });
});

describe('the series of calls', () => {
  it('is of an hour, or of a day', async () => {
    const { call, get } = await start();
    await call('s.a');
    await call('s.b');
    expect((await get('/v1/activity/series')).body).toMatchObject({
      range: '1h',
      step_secs: 10,
      points: [{ calls: 2, failures: 1, max_ms: 0 }],
    });
    expect((await get('/v1/activity/series?range=24h')).body).toMatchObject({ range: '24h', step_secs: 300 });
    expect((await get('/v1/activity/series?range=2h')).status).toBe(400);
  });
});
