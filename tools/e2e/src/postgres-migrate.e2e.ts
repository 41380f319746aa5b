// `portico storage migrate`: what a daemon has kept in SQLite is there when it starts on PostgreSQL.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { approvalsOf, openTicket } from './support/approvals.js';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { repository, startDaemon } from './support/daemon.js';
import { databasePassword, query, startPostgres } from './support/postgres.js';
import { scripted, tool } from './support/upstreams.js';

const cli = join(repository, 'apps/cli/dist/main.js');
let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

async function setUp() {
  const upstream = scripted({ tools: [tool('a'), tool('gated')] });
  const folder = tempFolder();
  const stateDir = join(folder, 'state');
  const url = server.url(await server.createDatabase());
  const config = {
    mcpServers: { s: upstream.server },
    policy: { requireApproval: ['s.gated'] },
    audit: { filePath: join(folder, 'audit.jsonl') },
  };
  const start = async (storage: object = {}) => {
    const daemon = await startDaemon({ ...config, ...storage }, { stateDir });
    await daemon.connected();
    return daemon;
  };
  const migrate = (storage: object = { storage: { url } }, from = stateDir) => {
    const file = join(folder, 'config.json');
    writeFileSync(file, JSON.stringify({ ...config, ...storage }));
    const args = [cli, 'storage', 'migrate', '--config', file, '--from', from];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(stdout + stderr).not.toContain(databasePassword);
    return { status, stdout, stderr };
  };
  return { upstream, url, stateDir, start, migrate };
}

describe('portico storage migrate', () => {
  it('moves all of it, once, and the daemon goes on where it was [daemon-storage-url]', async () => {
    const { upstream, url, stateDir, start, migrate } = await setUp();
    const first = await start();
    expect((await first.call('s.a', { n: 1 }, { idempotency_key: 'k' })).status).toBe(200);
    const ticket = await openTicket(first, 's.gated', { n: 2 });
    const feed = await first.get<object>('/v1/catalog/events');
    expect(migrate()).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('is in use by process') });
    await first.stop();

    const { status, stdout, stderr } = migrate();
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`from ${stateDir}\nto   PostgreSQL database "`);
    expect(stdout).toMatch(/executions +1\n +approvals +1\n/);
    expect(stdout).toContain('All rows are copied and counted. The directory is left as it was.');
    expect(migrate().stderr).toContain('has rows in executions already; copy into an empty database');

    const second = await start({ storage: { url } });
    const { headers } = await second.call('s.a', { n: 1 }, { idempotency_key: 'k' });
    expect(headers['x-service-deduplicated']).toBe('true');
    expect((await second.get<object>('/v1/catalog/events')).body).toEqual(feed.body);
    expect((await approvalsOf(second).approve(ticket)).body.result?.ok).toBe(true);
    expect(upstream.received('tools/call')).toHaveLength(2);
    expect((await auditOf(second).report()).is_valid).toBe(true);
    expect(second.logText()).not.toContain('the index of the audit log does not fit');
    expect(await query(url, 'select seq::int from siem_cursors')).toEqual([]);
  });

  it('says what is missing, and copies nothing then [daemon-storage-url]', async () => {
    const { stateDir, start, migrate } = await setUp();
    expect(migrate().stderr).toBe(
      `there is no state database ${join(stateDir, 'state.db')}; name its directory with --from DIR\n`,
    );
    await (await start()).stop();
    const missing = migrate({});
    expect([missing.status, missing.stderr]).toEqual([
      2,
      expect.stringContaining('storage.url: is required: it names the database to copy to'),
    ]);
    const unreachable = migrate({ storage: { url: `postgres://me:${databasePassword}@127.0.0.1:1/db` } });
    expect([unreachable.status, unreachable.stderr]).toEqual([2, expect.stringContaining('nothing answers there')]);
  });
});
