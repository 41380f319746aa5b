// The database goes away while the daemon runs, and comes back: calls that need it are refused until then, others go
// on, no call runs twice, and the daemon needs no restart.
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, openTicket } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { databasePassword, query, startPostgres } from './support/postgres.js';
import { openSilentNetwork } from './support/silent-network.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

interface StartOptions {
  readonly port?: number;
  readonly clockFactor?: number;
  /** The query of the address. */
  readonly query?: string;
}

async function start({ port = server.port, clockFactor, query: rest = '' }: StartOptions = {}) {
  const upstream = scripted({ tools: [tool('a'), tool('held'), tool('gated')] });
  const url = server.url(await server.createDatabase()).replace(`:${server.port}/`, `:${port}/`) + rest;
  const daemon = await startDaemonProcess(
    {
      mcpServers: { s: upstream.server },
      policy: { requireApproval: ['s.gated'] },
      audit: { filePath: join(tempFolder(), 'audit.jsonl') }, // what has to be recorded is recorded all the time
      storage: { url },
    },
    clockFactor === undefined ? {} : { clockFactor },
  );
  await daemon.connected();
  const readyzReaches = (status: number) =>
    eventually(async () => expect((await daemon.get('/readyz')).status).toBe(status));
  return { upstream, url, daemon, readyzReaches };
}

const key = (idempotency_key: string) => ({ idempotency_key });

describe('a database that goes away', () => {
  it('refuses what needs it, runs nothing twice, and is used again when it is back [daemon-storage-url]', async () => {
    const { upstream, daemon, readyzReaches } = await start();
    expect((await daemon.call('s.a', { n: 1 }, key('before'))).status).toBe(200);
    const ticket = await openTicket(daemon, 's.gated', { n: 2 });
    const running = daemon.call('s.held', { n: 3 }, key('during'));
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(2));
    await server.kill();
    await readyzReaches(503);
    expect((await daemon.get('/readyz')).text).toMatch(
      /"not ready: the (connection to the )?database (is lost|cannot be used): /,
    );
    expect((await daemon.get('/healthz')).status).toBe(200);
    expect((await daemon.list('capabilities')).status).toBe(200);
    expect((await daemon.search({ query: 'held' })).status).toBe(200);
    expect((await daemon.call('s.a', { n: 4 })).status).toBe(200); // without a key nothing has to be kept

    for (const name of ['before', 'new']) {
      const { status, body } = await daemon.call('s.a', { n: 1 }, key(name));
      expect([status, body.error?.code, body.retry.upstream_execution_state]).toEqual([
        500,
        'INTERNAL_ERROR',
        'not_started',
      ]);
    }
    const decided = await approvalsOf(daemon).approve(ticket);
    expect([decided.status, decided.body.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    upstream.release();
    expect((await running).body).toMatchObject({ ok: false, error: { code: 'INTERNAL_ERROR' } });
    expect(upstream.received('tools/call').map(({ params }) => params.arguments)).toEqual([
      { n: 1 },
      { n: 3 },
      { n: 4 },
    ]);

    await server.start();
    await readyzReaches(200);
    const replayed = await daemon.call('s.a', { n: 1 }, key('before'));
    expect([replayed.status, replayed.headers['x-service-deduplicated']]).toEqual([200, 'true']);
    const again = await daemon.call('s.held', { n: 3 }, key('during'));
    expect(again.body.retry.upstream_execution_state).toBe('unknown');
    expect((await daemon.call('s.a', { n: 1 }, key('new'))).status).toBe(200);
    expect((await approvalsOf(daemon).approve(ticket)).body.result?.ok).toBe(true);
    expect(upstream.received('tools/call')).toHaveLength(5);
    await eventually(() => expect(daemon.stderr()).toContain('the database is back'));
    expect(daemon.stderr()).not.toContain(databasePassword);
    expect((await daemon.stop()).code).toBe(0);
  });

  it('does not keep the daemon from its end [daemon-storage-url]', async () => {
    const { daemon, readyzReaches } = await start();
    await server.kill();
    await readyzReaches(503);
    const { code } = await daemon.stop();
    await server.start();
    expect(code).toBe(0);
  });

  it('that says nothing any more is noticed, and its calls end [daemon-storage-url]', async () => {
    const network = await openSilentNetwork(server.port);
    const { daemon, readyzReaches } = await start({
      port: network.port,
      clockFactor: 4,
      query: '?statement_timeout=600000',
    });
    await daemon.call('s.a', {}, key('before'));
    network.fallSilent();
    const { body } = await daemon.call('s.a', {}, key('silent'));
    expect(body).toMatchObject({ ok: false, error: { code: 'INTERNAL_ERROR' } });
    expect(body.error?.message).toContain('Connection terminated'); // before the statement is given up
    await readyzReaches(503);
    await eventually(async () => {
      const { error } = (await daemon.call('s.a', {}, key('lost'))).body;
      expect(error?.message).toContain('the connection to the database is lost');
    });
    network.recover();
    await readyzReaches(200);
    expect((await daemon.call('s.a', {}, key('back'))).status).toBe(200);
  });

  it('costs no connection that it ends: the next call has another one [daemon-storage-url]', async () => {
    const { url, daemon, readyzReaches } = await start();
    const both = () => Promise.all(['x', 'y'].map((name) => daemon.call('s.a', {}, key(`${name}-${Math.random()}`))));
    await both();
    await query(
      url,
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    );
    await readyzReaches(200);
    await eventually(async () => expect((await both()).map(({ status }) => status)).toEqual([200, 200]));
  });
});
