// A day of an operator, from an empty configuration to a restart, watching the feed and the ETag at every step.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { openUpdates } from './support/event-stream.js';
import { fixture, scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

interface Feed {
  readonly cursor: string;
  readonly events: readonly { readonly change_type: string; readonly object_id: string }[];
}
type Body = Readonly<Record<string, unknown>>;

/** Three client files as people have them, under a home of their own. */
function homeWithClients() {
  const home = tempFolder();
  const servers = {
    notes: scripted({ tools: [tool('read')] }),
    web: scripted({ tools: [tool('fetch')] }),
    db: scripted({ tools: [tool('query')] }),
  };
  const write = (path: string, text: string) => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const { notes, web, db } = servers;
  write('.config/Claude/claude_desktop_config.json', JSON.stringify({ mcpServers: { notes: notes.server } }, null, 2));
  write(
    '.config/Code/User/mcp.json',
    `{\n  // of the editor\n  "servers": { "web": ${JSON.stringify({ type: 'stdio', ...web.server })}, },\n}\n`,
  );
  const [script, folder] = db.server.args;
  write(
    '.codex/config.toml',
    `model = "x"\n\n[mcp_servers.db]\ncommand = ${JSON.stringify(db.server.command)}\nargs = [${JSON.stringify(script)}, ${JSON.stringify(folder)}]\n`,
  );
  return { home, env: { HOME: home, XDG_CONFIG_HOME: join(home, '.config') } };
}

/** Changes of the feed and the ETag since the last request. */
function watch(daemon: Daemon) {
  let cursor: string | undefined;
  let etag: unknown;
  return async () => {
    const { headers } = await daemon.list('capabilities');
    const path = `/v1/catalog/events${cursor === undefined ? '' : `?after=${cursor}`}`;
    const { body } = await daemon.get<Feed>(path);
    const isNew = headers.etag !== etag;
    etag = headers.etag;
    ({ cursor } = body);
    return { isNew, changed: body.events.map(({ change_type, object_id }) => `${change_type} ${object_id}`) };
  };
}

it('a day of an operator', async () => {
  const { home, env } = homeWithClients();
  const folder = tempFolder();
  const file = join(folder, 'mcp_servers.json');
  const secretName = 'DAY_TEST_KEY';
  writeFileSync(file, '{\n  // what this machine runs\n  "mcpServers": {}\n}\n');
  const options = {
    configFile: file,
    stateDir: join(folder, 'state'),
    env: { ...env, [secretName]: 'first-canary' },
  };
  const daemon = await startDaemon(undefined, options);
  const look = watch(daemon);
  const stream = await openUpdates(daemon);
  const ok = async (answer: Promise<{ readonly status: number; readonly body: Body }>) => {
    const { status, body } = await answer;
    expect([status, body.ok, body.error]).toEqual([200, true, undefined]);
    return body;
  };

  // It starts empty, and takes over what the clients of this machine have.
  expect(await daemon.ids('capabilities')).toEqual([]);
  await look();
  const imported = await ok(daemon.post<Body>('/v1/config/import', {}));
  expect(imported).toEqual({ ok: true, imported: ['notes', 'web', 'db'], skipped: [], errors: [] });
  await daemon.connected('notes', 'web', 'db');
  expect(await look()).toEqual({
    isNew: true,
    changed: expect.arrayContaining(['added notes.read', 'added web.fetch', 'added db.query']),
  });
  expect(await ok(daemon.post<Body>('/v1/config/import', {}))).toMatchObject({ imported: [] });
  expect(await look()).toEqual({ isNew: false, changed: [] });

  // A server of its own, with a secret from the environment.
  const definition = { ...fixture(), env: { KEY: `env://${secretName}` } };
  await ok(daemon.post<Body>('/v1/config/servers', { name: 'own', server: definition }));
  expect(await look()).toEqual({
    isNew: true,
    changed: expect.arrayContaining(['added own.echo', 'added own.whoami']),
  });

  // A short name, and a rule.
  await ok(daemon.post<Body>('/v1/config/alias', { kind: 'tool', alias: 'ship', target: 'own.echo' }));
  expect(await look()).toEqual({ isNew: true, changed: ['removed own.echo', 'added ship'] });
  expect((await daemon.call('ship', { text: 'x' })).status).toBe(200);
  await ok(daemon.post<Body>('/v1/config/policy', { require_approval: ['own.echo'], deny: ['db.*'] }));
  expect(await look()).toEqual({ isNew: true, changed: ['removed db.query'] });
  expect([(await daemon.call('ship', { text: 'x' })).status, (await daemon.call('db.query')).status]).toEqual([
    202, 403,
  ]);

  // The secret is rotated: the server has the new one after its restart, and it appears nowhere else.
  const keyOf = async () => {
    const { body } = await daemon.call('own.whoami');
    return body.data.structuredContent.env.KEY;
  };
  expect(await keyOf()).toBe('first-canary');
  await ok(
    daemon.post<Body>('/v1/config/servers', { name: 'own', server: { ...definition, env: { KEY: 'second-canary' } } }),
  );
  await daemon.connected('own');
  expect(await keyOf()).toBe('second-canary');
  await ok(daemon.send<Body>('/v1/config/servers/own/restart', { method: 'POST' }));
  expect(await keyOf()).toBe('second-canary');
  expect(await look()).toEqual({ isNew: false, changed: [] });

  // The file by hand: first with a mistake, then right.
  const good = readFileSync(file, 'utf8');
  const pid = (await daemon.server('own')).pid;
  writeFileSync(file, good.replace('"mcpServers"', '"mcpServer"'));
  await eventually(async () => {
    const { body } = await daemon.get<{ file_issues: object[] }>('/v1/config');
    expect(body.file_issues).toEqual([{ path: 'mcpServers', message: 'is required' }]);
  });
  expect(await look()).toEqual({ isNew: false, changed: [] });
  writeFileSync(file, good.replace('"db.*"', '"db.nothing"'));
  await eventually(async () => expect(await daemon.ids('capabilities')).toContain('db.query'));
  expect(await look()).toEqual({ isNew: true, changed: ['added db.query'] });
  expect((await daemon.server('own')).pid).toBe(pid);

  // A restart loses nothing of it, and no secret was shown.
  const [ids, etag] = [await daemon.ids('capabilities'), (await daemon.list('capabilities')).headers.etag];
  const version = (await daemon.list('capabilities')).body.catalog_version;
  await eventually(() => expect(stream.events('catalog_changed').at(-1)?.data.catalog_version).toBe(version));
  const audit = await daemon.get('/v1/audit/export');
  const config = await daemon.get('/v1/config');
  for (const text of [audit.text, config.text, daemon.logText(), stream.text()]) expect(text).not.toContain('canary');
  await daemon.stop();
  expect(readFileSync(file, 'utf8')).toContain('// what this machine runs');
  const again = await startDaemon(undefined, options);
  await again.connected();
  expect([await again.ids('capabilities'), (await again.list('capabilities')).headers.etag]).toEqual([ids, etag]);
  expect((await again.call('ship', { text: 'x' })).status).toBe(202);
  expect(readFileSync(join(home, '.config/Code/User/mcp.json'), 'utf8')).toContain('// of the editor');
});
