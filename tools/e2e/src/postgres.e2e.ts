// All durable state in PostgreSQL: what SQLite keeps over a restart is kept there, and a database that cannot be used
// stops the start with words.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, openTicket } from './support/approvals.js';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { runDaemon, startDaemonProcess } from './support/daemon-process.js';
import { databasePassword, query, startPostgres } from './support/postgres.js';
import { openSilentNetwork } from './support/silent-network.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

const freshUrl = async () => server.url(await server.createDatabase());

/** A server, and daemons that come one after the other on the same database. */
async function lineage<D extends Daemon>(starter: (config: object, options: { stateDir: string }) => Promise<D>) {
  const upstream = scripted({ tools: [tool('a'), tool('b'), tool('gated'), tool('never')] });
  const url = await freshUrl();
  const folder = tempFolder();
  const start = async () => {
    const daemon = await starter(
      {
        mcpServers: { s: upstream.server },
        policy: { requireApproval: ['s.gated'] },
        audit: { filePath: join(folder, 'audit.jsonl') },
        storage: { url },
      },
      { stateDir: join(folder, 'state') },
    );
    await daemon.connected();
    return daemon;
  };
  return { upstream, url, folder, start };
}

const once = { idempotency_key: 'k' };

describe.each(['SIGTERM', 'SIGKILL'] as const)('what is in PostgreSQL when the daemon ends by %s', (signal) => {
  it('is there when it starts again, and runs nothing twice [daemon-storage-url]', async () => {
    const { upstream, url, folder, start } = await lineage(startDaemonProcess);
    const first = await start();
    expect((await first.call('s.a', { n: 1 }, once)).status).toBe(200);
    const id = await openTicket(first, 's.gated', { n: 2 });
    const task = await first.post<Envelope<{ task: { task_id: string } }>>(
      '/v1/tools/call',
      { capability_id: 's.b', args: { n: 3 } },
      { prefer: 'respond-async' },
    );
    const taskPath = `/v1/tasks/${task.body.data.task.task_id}`;
    await eventually(async () =>
      expect((await first.get<{ task: object }>(taskPath)).body.task).toMatchObject({ status: 'completed' }),
    );
    const { body: sampling } = await first.post<{ data: { ticket_id: string } }>(
      '/v1/sampling/create_message',
      { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }], max_tokens: 10, server_id: 's' },
      { prefer: 'respond-async' },
    );
    const feed = await eventually(async () => {
      const found = await first.get<{ readonly events: readonly object[] }>('/v1/catalog/events');
      expect(found.body.events).toHaveLength(4); // they are announced once they are stored
      return found;
    });
    const interrupted = first.call('s.never', {}, { idempotency_key: 'never' }).catch(() => {});
    await eventually(() => expect(upstream.received('tools/call')).toHaveLength(3));
    await first.stop(signal);
    await interrupted;

    const second = await start();
    const replayed = await second.call('s.a', { n: 1 }, once);
    expect([replayed.status, replayed.headers['x-service-deduplicated']]).toEqual([200, 'true']);
    const unknown = await second.call('s.never', {}, { idempotency_key: 'never' });
    expect(unknown.body.retry).toMatchObject({ upstream_execution_state: 'unknown' });
    expect((await second.get<{ task: object }>(taskPath)).body.task).toMatchObject({ result: { ok: true } });
    expect((await second.get<object>('/v1/catalog/events')).body).toEqual(feed.body);
    const request = await second.get<{ request: object }>(`/v1/sampling/requests/${sampling.data.ticket_id}`);
    expect(request.body.request).toMatchObject({ status: 'pending' });
    expect((await approvalsOf(second).approve(id)).body.result?.ok).toBe(true);
    expect(upstream.received('tools/call').map(({ params }) => params.arguments)).toEqual([
      { n: 1 },
      { n: 3 },
      {},
      { n: 2 },
    ]);
    const { is_valid, total_records } = await auditOf(second).report();
    expect([is_valid, total_records > 5]).toEqual([true, true]);
    const exported = await second.get<unknown>('/v1/audit/export');
    expect([exported.status, exported.text.includes('approval_approved')]).toEqual([200, true]);

    expect(readdirSync(join(folder, 'state')).filter((name) => name.startsWith('state.db'))).toEqual([]);
    expect(await query(url, 'select count(*)::int as count from executions')).toEqual([{ count: 2 }]);
    await second.stop();
    const said = [first.stderr(), second.stderr(), exported.text].join('\n');
    expect(said).not.toContain(databasePassword);
  });
});

describe('the configuration', () => {
  it('shows the address without its login, and takes a new one at the next start [daemon-storage-url]', async () => {
    const { url, start } = await lineage(startDaemon);
    const daemon = await start();
    const { text } = await daemon.get('/v1/config');
    expect(text).toContain(`postgres://********:********@127.0.0.1:${server.port}/`);
    expect(text).not.toContain(databasePassword);
    expect((await daemon.get('/readyz')).text).not.toContain(databasePassword);
    expect(url).toContain(databasePassword);
  });

  it('may name the variable that holds the address [daemon-storage-url]', async () => {
    const url = await freshUrl();
    const config = { mcpServers: {}, storage: { url: 'env://DATABASE_URL' } };
    const daemon = await startDaemon(config, { env: { DATABASE_URL: url } });
    expect((await daemon.get('/readyz')).status).toBe(200);
    expect((await query(url, 'select name from kysely_migration')).length).toBeGreaterThan(5);
    const { code, stderr } = await runDaemon(config);
    expect([code, stderr]).toEqual([
      2,
      'storage.url: env://DATABASE_URL names an environment variable that is not set\n',
    ]);
  });
});

describe('a start is refused with 2 and the reason', () => {
  const refusal = async (url: string) => {
    const { code, stdout, stderr } = await runDaemon({ mcpServers: {}, storage: { url } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toContain(databasePassword);
    return stderr;
  };

  it('where nothing answers [daemon-storage-url]', async () => {
    expect(await refusal(`postgres://me:${databasePassword}@127.0.0.1:1/db`)).toBe(
      'PostgreSQL database "db" at 127.0.0.1:1 as user "me" cannot be used: nothing answers there; ' +
        'start the server, or correct storage.url (connect ECONNREFUSED 127.0.0.1:1)\n',
    );
  });

  it.each([1, 2])('where the database goes away after %i connections [daemon-storage-url]', async (most) => {
    const network = await openSilentNetwork(server.port, most);
    const stderr = await refusal((await freshUrl()).replace(`:${server.port}/`, `:${network.port}/`));
    expect(stderr).toMatch(
      / cannot be used: the connection has been cut; see the log of the server, then try again \(/,
    );
  });

  it('where the login or the database is wrong [daemon-storage-url]', async () => {
    const wrong = server.url('postgres').replace(databasePassword, 'wrong-password');
    expect(await refusal(wrong)).toContain('the server refuses this login; correct the user or the password');
    expect(await refusal(server.url('nowhere'))).toContain('there is no such database; create it');
    expect(await refusal('mysql://h/db')).toContain('storage.url: must be a postgres:// or postgresql:// address');
  });

  it('where a newer version has written it, which it leaves as it is [daemon-storage-url]', async () => {
    const url = await freshUrl();
    await (await startDaemon({ mcpServers: {}, storage: { url } })).stop();
    await query(url, "insert into kysely_migration values ('999-future', '2030-01-01T00:00:00.000Z')");
    const tables = "select table_name from information_schema.tables where table_schema = 'public' order by 1";
    await query(url, 'drop table oauth');
    const before = await query(url, tables);
    expect(await refusal(url)).toContain(
      'a newer version has written it (migration 999-future is unknown to this version); use that version, or another database',
    );
    expect(await query(url, tables)).toEqual(before);
  });

  it('where another process has its state directory, which it names [daemon-storage-url]', async () => {
    const config = { mcpServers: {}, storage: { url: await freshUrl() } };
    const stateDir = join(tempFolder(), 'state');
    const first = await startDaemonProcess(config, { stateDir });
    const { code, stderr } = await runDaemon(config, { stateDir });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`is in use by process ${first.pid}`)]);
    await first.stop();
    await startDaemon(config, { stateDir });
  });
});
