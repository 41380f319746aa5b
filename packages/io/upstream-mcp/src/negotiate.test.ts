import { describe, expect, it, vi } from 'vitest';
import { call, connect, fixture, httpServer, openConnector, startHttpFixture, waitUntil } from './testing/kit.js';

vi.setConfig({ testTimeout: 20_000 }); // some servers here take seconds to start, on purpose

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

  it('takes a server that answers nothing it does not know as an older one', async () => {
    const { session } = await connect(fixture('--silent-on-unknown'));

    expect(session.protocolVersion).toBe('2025-11-25');
    expect(await call(session, 'null_call')).toEqual({ content: [{ type: 'text', text: 'ok' }] });
  });

  it('does not mistake a slow server of 2026-07-28 for an older one', async () => {
    const { session, events } = await connect(fixture('--modern', '--delay-start', '4000'));

    expect(session.protocolVersion).toBe('2026-07-28');
    expect(await call(session, 'null_call')).toEqual({ content: [{ type: 'text', text: 'ok' }] });
    expect(events.logs).toEqual([]);
  });

  it('waits for a slow older server', async () => {
    const { session } = await connect(fixture('--delay-start', '4000'));

    expect(session.protocolVersion).toBe('2025-11-25');
    expect(await call(session, 'null_call')).toEqual({ content: [{ type: 'text', text: 'ok' }] });
  });
});

describe('a server that changed its era under the same definition', () => {
  it('is asked again when the remembered way fails', async () => {
    const legacy = await startHttpFixture('--mode', 'legacy-json');
    const connector = openConnector();
    const server = httpServer(legacy.url);
    const { session } = await connect(server, connector);
    expect(session.protocolVersion).toBe('2025-11-25');
    await session.close();

    const port = new URL(legacy.url).port;
    legacy.process.kill('SIGKILL');
    await new Promise((resolve) => legacy.process.once('exit', resolve));
    await startHttpFixture('--mode', 'modern', '--port', port);

    const again = await connect(server, connector);
    expect(again.session.protocolVersion).toBe('2026-07-28');
    expect(connector.logged).toContain('the server no longer speaks the era it used to; asking again');
  });
});
