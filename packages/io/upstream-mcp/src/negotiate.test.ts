import { once } from 'node:events';
import { createServer, request as requestOf } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { connectStdio } from './connect-stdio.js';
import {
  cleanUp,
  clientInfo,
  connect,
  fixture,
  httpServer,
  node,
  nullStdioPath,
  onCleanup,
  openConnector,
  patience,
  startHttpFixture,
  waitUntil,
} from './testing/kit.js';
import { parseMessages } from './wire.js';

afterEach(cleanUp);

/** How often the command was started: the fixture writes this line each time. */
const starts = ({ logs }: { readonly logs: readonly string[] }) => logs.filter((line) => line === 'first line').length;

describe('finding the era of a stdio server', () => {
  it('starts a well-behaved server once', async () => {
    for (const server of [fixture('--noise'), fixture('--noise', '--modern')]) {
      const { events } = await connect(server);
      await waitUntil(() => starts(events) > 0, 'the start is logged');
      expect(starts(events)).toBe(1);
    }
  });

  it('starts a server again, the old way, that exits when it is probed, and remembers that', async () => {
    const connector = openConnector();
    const server = fixture('--exit-on-probe', '--noise');

    const first = await connect(server, connector);
    expect(first.session.protocolVersion).toBe('2025-11-25');
    await waitUntil(() => starts(first.events) === 2, 'both starts are logged');
    await first.session.close();

    const second = await connect(server, connector);
    expect(second.session.protocolVersion).toBe('2025-11-25');
    await waitUntil(() => starts(second.events) > 0, 'the start is logged');
    expect(starts(second.events)).toBe(1);
  });

  /** Connects with little patience for silence, so that tests need not be slow to be about slowness. */
  const connectSoon = async (...flags: string[]) => {
    const server = { kind: 'stdio', command: node, args: [nullStdioPath, ...flags], env: {} } as const;
    const events = { onNotification() {}, onServerRequest: async () => ({}), onClosed() {}, onGap() {}, onLog() {} };
    const established = await connectStdio(
      { server, env: process.env, reaper: null, spawnTurn: async () => {}, remembered: undefined, silenceMs: 100 },
      { clientInfo, events, parseLarge: parseMessages, signal: patience() },
    );
    onCleanup(established.transport.close);
    const params = { name: 'null_call', arguments: {} };
    expect(await established.peer.request('tools/call', params, { signal: patience() })).toHaveProperty('content');
    return established.agreement;
  };

  it('takes a server that answers nothing it does not know as an older one', async () => {
    expect(await connectSoon('--silent-on-unknown')).toMatchObject({ era: 'legacy', revision: '2025-11-25' });
  });

  it('does not mistake a slow server of 2026-07-28 for an older one', async () => {
    expect(await connectSoon('--modern', '--delay-start', '600')).toMatchObject({
      era: 'modern',
      revision: '2026-07-28',
    });
  });

  it('starts a slow server again that exits when it is probed', async () => {
    expect(await connectSoon('--exit-on-probe', '--delay-start', '600')).toMatchObject({ era: 'legacy' });
  });

  it('waits for a slow older server', async () => {
    expect(await connectSoon('--delay-start', '600')).toMatchObject({ era: 'legacy' });
  });
});

describe('a server of 2026-07-28 that refuses the version at first', () => {
  it('is asked once more when it names our version as supported', async () => {
    let asked = 0;
    const result = { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} };
    const refusal = { code: -32022, message: 'Unsupported protocol version', data: { supported: ['2026-07-28'] } };
    const server = createServer(async (request, response) => {
      const { id } = JSON.parse(await text(request));
      asked += 1;
      const reply = asked === 1 ? { error: refusal } : { result };
      response.writeHead(asked === 1 ? 400 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...reply }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onCleanup(() => server.close());

    const { session } = await connect(httpServer(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));

    expect(session.protocolVersion).toBe('2026-07-28');
    expect(asked).toBe(2);
  });
});

describe('a server that changed its era under the same definition', () => {
  it('is asked again when the remembered way fails', async () => {
    const [legacy, modern] = [
      await startHttpFixture('--mode', 'legacy-json'),
      await startHttpFixture('--mode', 'modern'),
    ];
    let { origin } = legacy;
    const place = createServer((request, response) => {
      const options = { method: request.method ?? 'GET', headers: request.headers };
      const passing = requestOf(`${origin}${request.url}`, options, (answer) => {
        answer.pipe(response.writeHead(answer.statusCode ?? 500, answer.headers));
      });
      request.pipe(passing.on('error', () => response.destroy()));
      response.on('close', () => passing.destroy());
    }).listen(0, '127.0.0.1');
    await once(place, 'listening');
    onCleanup(() => place.close());
    const connector = openConnector();
    const server = httpServer(`http://127.0.0.1:${(place.address() as AddressInfo).port}/mcp`);
    const { session } = await connect(server, connector);
    expect(session.protocolVersion).toBe('2025-11-25');
    await session.close();

    origin = modern.origin;

    const again = await connect(server, connector);
    expect(again.session.protocolVersion).toBe('2026-07-28');
    expect(connector.logged).toContain('the server no longer speaks the era it used to; asking again');
  });
});
