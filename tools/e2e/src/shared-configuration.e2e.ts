// Daemons on one database, each with a configuration file of its own: a change at one is in the files of all and in
// force there, and all of them report changes of the catalog in one order.
import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'jsonc-parser';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { type Daemon, type DaemonOptions, startDaemon } from './support/daemon.js';
import { type DaemonFiles, placeOf } from './support/mcp.js';
import { query, startPostgres } from './support/postgres.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

let server: Awaited<ReturnType<typeof startPostgres>>;

beforeAll(async () => {
  server = await startPostgres();
});

const textOf = ({ configFile }: DaemonFiles) => readFileSync(configFile, 'utf8');
const fileOf = (place: DaemonFiles) => parse(textOf(place));
const start = (place: DaemonFiles, options: DaemonOptions = {}) => startDaemon(undefined, { ...options, ...place });

/** The text that a daemon's file has, with a comment where it may get lost. */
const fileText = (config: object, comment: string) =>
  JSON.stringify(config, null, 2).replace('"mcpServers": {', `// ${comment}\n  "mcpServers": {`);

/** Two files that say the same, and one database. */
async function openPlaces(more: object = {}) {
  const upstream = scripted({ tools: [tool('one'), tool('two')] });
  const url = server.url(await server.createDatabase());
  const config = { mcpServers: { s: upstream.server }, toolTimeoutMs: 9000, ...more, storage: { url } };
  const [a, b] = [placeOf(config), placeOf(config)];
  writeFileSync(a.configFile, fileText(config, 'of a'));
  writeFileSync(b.configFile, fileText({ port: 9091, ...config }, 'of b'));
  return { a, b, upstream, url };
}

async function openBoth(more: object = {}, ofB: DaemonOptions = {}) {
  const places = await openPlaces(more);
  const [a, b] = await Promise.all([start(places.a), start(places.b, ofB)]);
  await Promise.all([a.connected(), b.connected()]);
  return { ...places, a, b, ofA: places.a, ofB: places.b };
}

const catalogOf = async (daemon: Daemon) => (await daemon.list('capabilities')).body.catalog_version;
const feedOf = async (daemon: Daemon) =>
  (await daemon.get<{ cursor: string; events: readonly Record<string, unknown>[] }>('/v1/catalog/events')).body;
const changesOf = async (daemon: Daemon) =>
  (await feedOf(daemon)).events.map(({ change_type, object_id }) => `${change_type} ${object_id}`);
const issuesOf = async (daemon: Daemon) =>
  (await daemon.get<{ file_issues: readonly { path: string; message: string }[] }>('/v1/config')).body.file_issues;

describe('what is changed at one daemon', () => {
  it('is in the file of the other and in force there, which keeps what is its own', async () => {
    const { a, b, ofA, ofB } = await openBoth();
    const extra = scripted({ tools: [tool('three')] });
    expect((await a.post('/v1/config/servers', { name: 'extra', server: extra.server })).status).toBe(200);
    await eventually(async () => expect(await b.ids('capabilities')).toEqual(['extra.three', 's.one', 's.two']));
    expect((await b.call('extra.three')).status).toBe(200);

    expect((await b.post('/v1/config/alias', { kind: 'tool', alias: 'uno', target: 's.one' })).status).toBe(200);
    expect((await b.post('/v1/config/policy', { deny: ['s.two'] })).status).toBe(200);
    expect((await a.post('/v1/config/profiles', { name: 'p', servers: ['extra'] })).status).toBe(200);
    await eventually(async () => {
      for (const daemon of [a, b]) {
        expect(await daemon.ids('capabilities')).toEqual(['extra.three', 'uno']);
        expect((await daemon.list('capabilities', { 'x-profile': 'p' })).status).toBe(200);
      }
    });
    expect(await catalogOf(a)).toBe(await catalogOf(b));

    expect((await b.send('/v1/config/servers/extra', { method: 'DELETE' })).status).toBe(200);
    await eventually(async () => expect(await a.ids('capabilities')).toEqual(['uno']));
    await eventually(() => expect(Object.keys(fileOf(ofA).mcpServers)).toEqual(['s']));
    const shared = { mcpServers: fileOf(ofA).mcpServers, policy: { deny: ['s.two'] } };
    expect(fileOf(ofA)).toMatchObject({ ...shared, profiles: { p: { servers: [] } } });
    expect(fileOf(ofB)).toMatchObject({ ...shared, profiles: { p: { servers: [] } }, port: 9091 });
    expect(fileOf(ofA)).not.toHaveProperty('port');
    expect([textOf(ofA).includes('// of a'), textOf(ofB).includes('// of b')]).toEqual([true, true]);

    const records = (await auditOf(b).events('?limit=1000&event_type=config_change')).map(({ details }) => details);
    expect(records).toContainEqual(expect.objectContaining({ action: 'reload', source: 'daemon', mounted: ['extra'] }));
    await eventually(async () => {
      expect(await changesOf(a)).toEqual([
        'added s.one',
        'added s.two',
        'added extra.three',
        'removed s.one',
        'added uno',
        'removed s.two',
        'removed extra.three',
      ]);
      expect(await feedOf(a)).toEqual(await feedOf(b));
    });
  });

  it('by hand is so as well, and while the other did not run', async () => {
    const { a, b, ofA, ofB } = await openBoth();
    const edit = (place: DaemonFiles, from: string, to: string) => {
      expect(textOf(place)).toContain(from);
      writeFileSync(place.configFile, textOf(place).replace(from, to));
    };
    edit(ofA, '"toolTimeoutMs": 9000', '"toolTimeoutMs": 8000, // shorter');
    await eventually(() => expect(fileOf(ofB).toolTimeoutMs).toBe(8000));
    expect(textOf(ofB)).not.toContain('shorter');

    await b.stop();
    const late = scripted({ tools: [tool('late')] });
    await a.post('/v1/config/servers', { name: 'late', server: late.server });
    edit(ofB, '"toolTimeoutMs": 8000', '"toolTimeoutMs": 7000');
    const again = await start(ofB);
    expect(fileOf(ofB).mcpServers).toHaveProperty('late');
    await again.connected('late');
    await eventually(() => expect(fileOf(ofA).toolTimeoutMs).toBe(7000));
    expect(textOf(ofA)).toContain('// shorter');
    await eventually(async () => expect(await catalogOf(a)).toBe(await catalogOf(again)));
  });

  it('at the same time as something at the other is in both, and of one field the same', async () => {
    const { a, b, ofA, ofB } = await openBoth();
    const names = Array.from({ length: 6 }, (_, index) => `alias${index}`);
    const answers = await Promise.all([
      ...names.map((alias, index) =>
        (index % 2 === 0 ? a : b).post('/v1/config/alias', { kind: 'tool', alias, target: 's.one' }),
      ),
      a.post('/v1/config/policy', { approval_timeout_secs: 100 }),
      b.post('/v1/config/policy', { approval_timeout_secs: 200 }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await eventually(() => {
      expect(Object.keys(fileOf(ofA).capabilityAliases).sort()).toEqual(names);
      expect({ ...fileOf(ofB), port: undefined }).toEqual({ ...fileOf(ofA), port: undefined });
    });
    await eventually(async () => {
      expect(await catalogOf(a)).toBe(await catalogOf(b));
      expect(await changesOf(a)).toEqual(expect.arrayContaining(names.map((name) => `added ${name}`)));
      expect(await feedOf(a)).toEqual(await feedOf(b));
    });
    const changes = await changesOf(a);
    for (const name of names) expect(changes.filter((change) => change === `added ${name}`)).toHaveLength(1);
  });

  it('that the other cannot use is said there, and holds nothing else up', async () => {
    const places = await openPlaces();
    const a = await start(places.a, { env: { ROBOT_TOKEN: 'canary-robot-token' } });
    const b = await start(places.b);
    await Promise.all([a.connected(), b.connected()]);
    const config = fileOf(places.a);
    const sampling = { provider: { url: 'http://127.0.0.1:1', model: 'm', apiKeyEnv: 'ROBOT_TOKEN' } };
    writeFileSync(places.a.configFile, JSON.stringify({ ...config, sampling }));
    await eventually(async () =>
      expect(await issuesOf(b)).toEqual([
        {
          path: 'sampling.provider.apiKeyEnv',
          message: expect.stringMatching(/^another daemon has changed it .* ROBOT_TOKEN is not set$/),
        },
      ]),
    );
    await a.post('/v1/config/alias', { kind: 'tool', alias: 'uno', target: 's.one' });
    await eventually(async () => expect(await b.ids('capabilities')).toContain('uno'));
    expect(fileOf(places.b)).not.toHaveProperty('sampling');
    expect((await b.get('/readyz')).status).toBe(200);

    await b.stop();
    const again = await start(places.b, { env: { ROBOT_TOKEN: 'canary-robot-token' } });
    expect([await issuesOf(again), fileOf(places.b).sampling]).toEqual([[], sampling]);
  });
});

it('starts of both at once announce each entry once', async () => {
  const { a, b } = await openBoth();
  await eventually(async () => {
    expect(await changesOf(a)).toEqual(['added s.one', 'added s.two']);
    expect(await feedOf(b)).toEqual(await feedOf(a));
  });
});

it('a change is kept in the database only until every file has it', async () => {
  const { a, ofB, url } = await openBoth();
  const secret = { command: process.execPath, args: ['-e', ''], env: { TOKEN: 'canary-shared-secret' } };
  await a.post('/v1/config/servers', { name: 'secret', server: secret });
  await eventually(() => expect(fileOf(ofB).mcpServers).toHaveProperty('secret'));
  await eventually(async () => {
    const kept = await query(
      url,
      'select edits as kept from configuration_changes union all select outline from configuration_readers',
    );
    expect(kept.length).toBe(2);
    expect(JSON.stringify(kept)).not.toContain('canary-shared-secret');
  });
});
