// The messages of servers over HTTP: filters, who may, and a stream that never waits for its reader.
import { createControlPlane, createMemoryStores } from '@portico/control-plane';
import { createManualClock, createMemoryConnector, type FrameChannel, type FrameTap } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { configOf, driveApi, randomHex } from './testing/drive-api.js';

async function start(inspect: object = { enabled: true, maxBodyKb: 1024 }) {
  const clock = createManualClock();
  const frameTap: FrameTap = { recorder: undefined };
  const connector = { ...createMemoryConnector({}), frameTap };
  const plane = createControlPlane(
    { connector, clock, randomHex, log: () => {}, ...createMemoryStores(clock), notifyApproval: () => {} },
    configOf([], { inspect }),
  );
  const channel: FrameChannel = { server: 's', tap: frameTap };
  const emit = async (id: number, method: string, data = '') => {
    const message = { id, method, params: { data } };
    frameTap.recorder?.sent(channel, message, JSON.stringify({ jsonrpc: '2.0', ...message }));
    await clock.advance(0);
  };
  return { ...driveApi(plane), plane, emit };
}

describe('the list of messages', () => {
  it('is newest first, by filter and limit, with what is counted', async () => {
    const { emit, get } = await start();
    await emit(1, 'ping');
    await emit(2, 'tools/list');
    expect((await get('/v1/inspect')).body).toMatchObject({
      ok: true,
      complete: true,
      cursor: 'frm-c3c3c3c3-2',
      frames: [
        { method: 'tools/list', rpc_id: '2' },
        { method: 'ping', direction: 'sent', server_id: 's' },
      ],
      counts: { frames: 2, evicted: 0, dropped: 0, reader_dropped: 0 },
    });
    expect((await get('/v1/inspect?method=ping')).body).toMatchObject({ frames: [{ rpc_id: '1' }] });
    expect((await get('/v1/inspect?limit=1')).body).toMatchObject({ complete: false, frames: [{ rpc_id: '2' }] });
    expect((await get('/v1/inspect?direction=received')).body).toMatchObject({ frames: [] });
  });

  it.each(['limit=0', 'limit=501', 'direction=up', 'since=soon', 'server='])('refuses %s', async (query) => {
    const { get } = await start();
    expect((await get(`/v1/inspect?${query}`)).status).toBe(400);
  });

  it.each(['/v1/inspect', '/v1/inspect/stream', `/v1/traces/${'c3'.repeat(16)}/frames`])(
    '%s names the setting while it is off',
    async (path) => {
      const { get } = await start({});
      const { status, body } = await get(path);
      expect([status, JSON.stringify(body)]).toEqual([404, expect.stringContaining('inspect.enabled')]);
    },
  );
});

describe('the stream of messages', () => {
  it('replays more than may wait for a reader, all of it, and then goes on', async () => {
    const { app, emit, plane } = await start();
    for (let id = 1; id <= 30; id += 1) await emit(id, id % 2 === 0 ? 'even' : 'odd', 'x'.repeat(100_000));
    const headers = { Host: '127.0.0.1:9090', 'Last-Event-ID': 'frm-c3c3c3c3-2' };
    const { body } = await app.request('/v1/inspect/stream?method=even', { headers });
    await emit(31, 'odd');
    await emit(32, 'even');
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    let delivered = '';
    while (!delivered.includes('id: frm-c3c3c3c3-32\n')) delivered += (await reader?.read())?.value ?? '';
    const ids = [...delivered.matchAll(/^id: frm-c3c3c3c3-(\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: 15 }, (_, at) => 2 * at + 4));
    expect(plane.inspector.counts()).toMatchObject({ frames: 32, reader_dropped: 0 });
    await reader?.cancel();
  });

  it('leaves messages out while its reader does not read, and says how many', async () => {
    const { app, emit, plane } = await start();
    const { body, headers } = await app.request('/v1/inspect/stream', { headers: { Host: '127.0.0.1:9090' } });
    expect(headers.get('content-type')).toBe('text/event-stream');
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    const next = async () => (await reader?.read())?.value ?? '';
    expect(await next()).toBe(': connected\n\n');
    for (let id = 1; id <= 30; id += 1) await emit(id, 'tools/call', 'x'.repeat(100_000));
    let delivered = '';
    while (!delivered.includes('event: dropped')) delivered += await next();
    const ids = [...delivered.matchAll(/^id: frm-c3c3c3c3-(\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, at) => at + 1));
    expect(delivered).toContain(`event: dropped\ndata: {"count":${30 - ids.length}}\n\n`);
    expect(plane.inspector.counts()).toMatchObject({ frames: 30, reader_dropped: 30 - ids.length });
    await reader?.cancel();
  });
});
