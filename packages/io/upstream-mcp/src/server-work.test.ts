// Long work for a server has that server's name for the watchdog, over every transport.
import { afterEach, describe, expect, it } from 'vitest';
import { createMcpConnector } from './connector.js';
import {
  call,
  cleanUp,
  clientInfo,
  connect,
  fixture,
  httpServer,
  onCleanup,
  patience,
  startHttpFixture,
} from './testing/kit.js';

afterEach(cleanUp);

const flags = ['--pages', '2', '--per-page', '1000'];

describe.each([
  ['stdio', async () => fixture(...flags)],
  ['HTTP', async () => httpServer((await startHttpFixture(...flags)).url)],
  ['HTTP with reply streams', async () => httpServer((await startHttpFixture(...flags, '--mode', 'legacy-sse')).url)],
  ['HTTP+SSE', async () => httpServer((await startHttpFixture(...flags, '--mode', 'old-sse')).url)],
])('over %s the watchdog has the name of the server', (_transport, server) => {
  async function watched() {
    const named: string[] = [];
    let open = 0;
    const connector = createMcpConnector({
      clientInfo,
      env: process.env,
      inStage(stage, id, work) {
        expect(open).toBe(0); // stages do not nest
        named.push(`${stage} ${id}`);
        open += 1;
        try {
          return work();
        } finally {
          open -= 1;
        }
      },
    });
    onCleanup(connector.close);
    const { session } = await connect(await server(), connector);
    return { session, named };
  }

  it('while a page of a listing is parsed and read', async () => {
    const { session, named } = await watched();
    const { tools } = await session.discover(patience());
    expect(tools.length).toBeGreaterThan(1000);
    expect(new Set(named)).toEqual(new Set(['parsing a message upstream', 'reading a listing upstream']));
  });

  it('while a large result is parsed, and not while a small one is', async () => {
    const { session, named } = await watched();
    await call(session, 'echo', { text: 'small' });
    expect(named).toEqual([]);
    await call(session, 'big', { bytes: 200_000 });
    expect(named).toEqual(['parsing a message upstream']);
  });
});
