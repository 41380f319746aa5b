// A client at the other end of a pipe, in both eras, and lines that are no messages.
import { PassThrough } from 'node:stream';
import type { ControlPlane } from '@portico/control-plane';
import { describe, expect, it } from 'vitest';
import { type FacadeInput, legacy, modernRequest, startFacade } from '../testing/start-facade.js';
import { LineTransport } from './line-transport.js';
import { maxLineBytes, readLines } from './lines.js';

const s = {
  definitions: { tools: [{ name: 'work', inputSchema: { type: 'object' } }], resources: [{ uri: 'a://b', name: 'b' }] },
  handle: () => ({ content: [{ type: 'text', text: '\u2028' }] }),
};
const file = {
  capabilityAliases: { work: { target: 's.work', passthrough: true } },
  profiles: { none: { servers: [] } },
};

async function startPipe(input: FacadeInput = {}, profile: string | null = null) {
  const started = await startFacade({ servers: { s }, file, ...input });
  const toServer = new PassThrough();
  const fromServer = new PassThrough();
  const served = started.facade.servePipe({ input: toServer, output: fromServer }, profile);
  const received: unknown[] = [];
  readLines(fromServer, { onLine: (line) => received.push(JSON.parse(line)), onTooLong: () => {}, onEnd: () => {} });
  const write = (message: unknown) =>
    toServer.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  const next = async () => {
    await expect.poll(() => received.length).toBeGreaterThan(0);
    return received.shift();
  };
  const ask = (message: unknown) => {
    write(message);
    return next();
  };
  return { ...started, served, toServer, write, next, ask };
}
const hello = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: legacy, capabilities: {}, clientInfo: { name: 'x', version: '1' } },
};
const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'work', arguments: {} } };
const modern = (method: string, params = {}, id = 1) => modernRequest(method, params, { id }).body;

describe('a pipe', () => {
  it('serves a client of 2025-11-25 that begins with initialize, and notifies it of changes', async () => {
    const { ask, write, next, server, clock, served, toServer } = await startPipe();
    expect(await ask(hello)).toMatchObject({
      id: 0,
      result: { protocolVersion: legacy, capabilities: { tools: { listChanged: true } } },
    });
    write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    expect(await ask(call)).toEqual({ jsonrpc: '2.0', id: 1, result: { content: [{ type: 'text', text: '\u2028' }] } });
    server('s').change({ tools: [] });
    await clock.advance(60);
    expect(await next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    toServer.end();
    await served.closed;
  });

  it('serves a client of 2026-07-28, and its subscriptions', async () => {
    const watched: string[] = [];
    const watchResource: ControlPlane['watchResource'] = async (_caller, id) => {
      watched.push(id);
      return () => void watched.pop();
    };
    const { ask, write, next, server, clock } = await startPipe({ plane: () => ({ watchResource }) });
    expect(await ask(modern('server/discover'))).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
    expect(await ask(modern('tools/call', call.params))).toMatchObject({ result: { resultType: 'complete' } });
    const notifications = { toolsListChanged: true, resourceSubscriptions: ['a://b', 'a://c'] };
    expect(await ask(modern('subscriptions/listen', { notifications }, 5))).toMatchObject({
      params: { notifications: { toolsListChanged: true, resourceSubscriptions: ['a://b'] } },
    });
    expect(watched).toEqual(['s.a://b']);
    server('s').updateResource('a://b');
    expect(await next()).toMatchObject({ method: 'notifications/resources/updated', params: { uri: 'a://b' } });
    server('s').change({ tools: [] });
    await clock.advance(60);
    expect(await next()).toMatchObject({ method: 'notifications/tools/list_changed' });
    write({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    expect(await ask(modern('nobody/knows', {}, 6))).toMatchObject({ id: 6, error: { code: -32601 } });
    expect(watched).toEqual([]);
  });

  it('asked what it speaks, it still takes a client of 2025-11-25', async () => {
    const { ask } = await startPipe();
    expect(await ask(modern('server/discover'))).toMatchObject({ result: { supportedVersions: ['2026-07-28'] } });
    expect(await ask(hello)).toMatchObject({ result: { protocolVersion: legacy } });
  });

  it('serves the profile it was opened for, and none that does not exist', async () => {
    const { ask, facade } = await startPipe({}, 'none');
    await ask(hello);
    expect(await ask(call)).toMatchObject({ error: { code: -32602 } });
    const pipe = { input: new PassThrough(), output: new PassThrough() };
    expect(() => facade.servePipe(pipe, 'other')).toThrow('no profile "other"');
  });

  it.each([
    ['{"jsonrpc":', null, -32700],
    ['hello', null, -32700],
    ['['.repeat(5000), null, -32700],
    ['{"hello":"world"}', null, -32600],
    ['{"jsonrpc":"1.0","id":3,"method":"ping"}', 3, -32600],
    ['[]', null, -32600],
  ])('answers %j with an error and goes on', async (line, id, code) => {
    const { ask, server } = await startPipe();
    expect(await ask(line)).toMatchObject({ id, error: { code } });
    expect(await ask(hello)).toMatchObject({ id: 0, result: expect.anything() });
    expect(server('s').requests()).toEqual([]);
  });

  it('leaves out a line that is too long, says so, and goes on', async () => {
    const { ask, toServer, next } = await startPipe();
    toServer.write('x'.repeat(maxLineBytes));
    for (let times = 0; times < 3; times += 1) toServer.write('x'.repeat(1000));
    expect(await next()).toMatchObject({
      id: null,
      error: { code: -32600, message: expect.stringContaining('16777216') },
    });
    toServer.write('xxx\n');
    expect(await ask(hello)).toMatchObject({ id: 0, result: expect.anything() });
  });

  it('watches nothing for a subscription that is refused', async () => {
    let watched = 0;
    const watchResource: ControlPlane['watchResource'] = async () => {
      watched += 1;
      return () => {
        watched -= 1;
      };
    };
    const { ask } = await startPipe({ plane: () => ({ watchResource }) });
    await ask(modern('server/discover'));
    const { body } = modernRequest(
      'subscriptions/listen',
      { notifications: { resourceSubscriptions: ['a://b'] } },
      { id: 5 },
    );
    const unsupported = { ...body.params._meta, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' };
    const refused = await ask({ ...body, params: { ...body.params, _meta: unsupported } });
    expect(refused).toMatchObject({ id: 5, error: expect.anything() });
    expect(watched).toBe(0);
  });

  it('keeps a limited amount for a client that does not read: progress is left out, then its pipe ends', async () => {
    const output = new PassThrough();
    const reasons: string[] = [];
    const transport = new LineTransport(
      { input: new PassThrough(), output },
      { onSlow: (reason) => reasons.push(reason) },
    );
    await transport.start();
    const data = 'x'.repeat(1024 * 1024);
    const progress = { jsonrpc: '2.0' as const, method: 'notifications/progress', params: { progressToken: 1, data } };
    for (let times = 0; times < 100; times += 1) await transport.send(progress);
    expect(output.readableLength + output.writableLength).toBeLessThan(4 * data.length);
    expect(reasons).toEqual(['an MCP client reads too slowly: progress and logs are left out']);
    for (let id = 0; id < 100; id += 1) await transport.send({ jsonrpc: '2.0', id, result: { data } });
    await transport.closed;
    expect(output.writableLength).toBeLessThan(66 * data.length);
    expect(reasons[1]).toMatch(/does not read: \d+ bytes wait for it, and its connection is ended/);
  });
});
