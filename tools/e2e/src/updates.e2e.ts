// The stream of changes: its events about the catalog and resources, their readers, and that no reader can delay it.
import { beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, startDaemon } from './support/daemon.js';
import { type DaemonProcessOptions, startDaemonProcess } from './support/daemon-process.js';
import { openUnreadUpdates, openUpdates, type StreamEvent } from './support/event-stream.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const tools = [tool('announce'), tool('touch'), tool('echo')];
const digest = /^sha256:[0-9a-f]{64}$/;

function setUp() {
  const upstream = scripted({ tools });
  const other = scripted({ tools });
  return { upstream, other, config: { mcpServers: { s: upstream.server, other: other.server } } };
}

async function open() {
  const { config, ...servers } = setUp();
  return { daemon: await settled(await startDaemon(config)), ...servers };
}

/** For tests of a process: its exit code, and a clock of its own. */
async function openProcess(options: DaemonProcessOptions = {}) {
  const { config, ...servers } = setUp();
  return { daemon: await settled(await startDaemonProcess(config, options)), ...servers };
}

async function settled<D extends Daemon>(daemon: D): Promise<D> {
  await daemon.connected();
  // The changes of the start itself have been announced.
  const stream = await openUpdates(daemon, { 'last-event-id': 'none' });
  const changed = () => new Set(stream.events().flatMap(({ data }) => data.servers));
  await eventually(() => expect(changed()).toEqual(new Set(['other', 's'])));
  stream.close();
  return daemon;
}

const announce = (daemon: Daemon, kind = 'tools', server = 's') => daemon.call(`${server}.announce`, { kind });
const touch = (daemon: Daemon, uri: string, times = 1) => daemon.call('s.touch', { uri, times });
const uris = (events: readonly StreamEvent[]) => events.map(({ data }) => data.uri);

/** For tests that change no list, and read no event of another test. */
let shared: Daemon;

beforeAll(async () => {
  shared = (await open()).daemon;
});

describe('the stream of updates', () => {
  it('is server-sent events that begin with a comment at once [events-updates-route] [events-updates-keep-alive]', async () => {
    const stream = await openUpdates(shared);
    expect([stream.status, stream.headers['content-type']]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    expect(stream.headers['cache-control']).toMatch(/no-store|no-cache/);
    await eventually(() => expect(stream.text()).toMatch(/^:.*\n\n/));
    expect(stream.events()).toEqual([]);
  });

  it('says what a change of the catalog added, removed and updated, and which server caused it [events-updates-payload]', async () => {
    const { daemon, upstream } = await open();
    const streams = [await openUpdates(daemon), await openUpdates(daemon)];
    upstream.define({
      tools: [tool('announce'), tool('echo', { description: 'Changed.' }), tool('fresh')],
      resources: [{ uri: 'book://one', name: 'one' }],
      prompts: [{ name: 'greet' }],
    });
    await announce(daemon);
    const { catalog_version } = await eventually(async () => {
      const { body } = await daemon.list('capabilities');
      expect(body.capabilities.map(({ id }) => id)).toContain('s.fresh');
      return body;
    });
    for (const stream of streams) {
      await eventually(() => expect(stream.events()).toHaveLength(1));
      const [event] = stream.events();
      expect(event).toEqual({ id: expect.any(String), event: 'catalog_changed', data: expect.any(Object) });
      const { added, removed, updated, ...rest } = event?.data ?? {};
      expect(rest).toEqual({ catalog_version, servers: ['s'] });
      expect(added).toContain('s.fresh');
      expect([removed, updated]).toEqual([['s.touch'], ['s.echo']]);
    }
    expect(catalog_version).toMatch(digest);
  });

  it('reports resources and prompts as well [events-updates-payload]', async () => {
    const { daemon, upstream } = await open();
    const stream = await openUpdates(daemon);
    upstream.define({ tools, resources: [{ uri: 'book://one', name: 'one' }], prompts: [{ name: 'greet' }] });
    await announce(daemon, 'resources');
    await announce(daemon, 'prompts');
    await eventually(() =>
      expect(
        stream
          .events('catalog_changed')
          .flatMap(({ data }) => data.added)
          .sort(),
      ).toEqual(['s.book://one', 's.greet']),
    );
  });

  it('says nothing when a list is the same as before [events-updates-payload]', async () => {
    const { daemon, upstream } = await open();
    const stream = await openUpdates(daemon);
    const before = upstream.received('tools/list').length;
    await announce(daemon);
    await eventually(() => expect(upstream.received('tools/list').length).toBeGreaterThan(before));
    upstream.define({ tools: [...tools, tool('fresh')] });
    await announce(daemon);
    await eventually(() => expect(stream.events().at(-1)?.data.added).toEqual(['s.fresh']));
    expect(stream.events()).toHaveLength(1);
  });

  it('reports a server that was started again, changed or not [supervision-broadcast]', async () => {
    const { daemon, upstream } = await open();
    const stream = await openUpdates(daemon);
    process.kill((await daemon.server('s')).pid, 'SIGKILL');
    await eventually(() => expect(stream.events('catalog_changed')).toHaveLength(1));
    const { catalog_version } = (await daemon.list('capabilities')).body;
    expect(stream.events()[0]?.data).toEqual({ catalog_version, added: [], removed: [], updated: [], servers: ['s'] });
    expect(await daemon.server('s')).toMatchObject({ status: 'connected', restarts: 1 });
    upstream.define({ tools: [...tools, tool('fresh')] });
    process.kill((await daemon.server('s')).pid, 'SIGKILL');
    await eventually(() =>
      expect(stream.events().at(-1)?.data).toMatchObject({ added: ['s.fresh'], removed: [], servers: ['s'] }),
    );
  });

  it('makes one event of changes within 50 ms, and two of those further apart [events-updates-gathered]', async () => {
    const { daemon, upstream, other } = await openProcess({ clockFactor: 0.02 }); // its 50 ms are two and a half seconds
    const stream = await openUpdates(daemon);
    upstream.define({ tools: [...tools, tool('fresh')] });
    other.define({ tools: [...tools, tool('fresh')] });
    await Promise.all([announce(daemon), announce(daemon, 'tools', 'other')]);
    await eventually(() => expect(stream.events()).toHaveLength(1));
    expect(stream.events()[0]?.data).toMatchObject({ added: ['other.fresh', 's.fresh'], servers: ['other', 's'] });
    upstream.define({ tools });
    await announce(daemon);
    await eventually(() => expect(stream.events()).toHaveLength(2));
    expect(stream.events()[1]?.data).toMatchObject({ removed: ['s.fresh'], servers: ['s'] });
  });

  it('passes on that a resource changed [events-resource-updated]', async () => {
    const stream = await openUpdates(shared);
    await touch(shared, 'book://one');
    await eventually(() => expect(stream.events()).toHaveLength(1));
    expect(stream.events()).toEqual([
      { id: expect.any(String), event: 'resource_updated', data: { server: 's', uri: 'book://one' } },
    ]);
  });

  it('does not report what policy hides: no tool, no resource [events-updates-hidden]', async () => {
    const upstream = scripted({ tools });
    const policy = { deny: ['s.secret*'] };
    const daemon = await startDaemon({ mcpServers: { s: upstream.server }, policy });
    await daemon.connected();
    const stream = await openUpdates(daemon);
    upstream.define({
      tools: [...tools, tool('secret'), tool('fresh')],
      resources: [{ uri: 'secret://listed', name: 'listed' }],
    });
    await announce(daemon);
    await eventually(() => expect(stream.events().at(-1)?.data.added).toContain('s.fresh'));
    for (const uri of ['secret://listed', 'secret://unlisted', 'book://one']) await touch(daemon, uri);
    await eventually(() => expect(uris(stream.events('resource_updated'))).toContain('book://one'));
    expect(stream.text()).not.toContain('secret');
  });

  it('keeps a line break in a URI out of its own lines [events-resource-updated]', async () => {
    const stream = await openUpdates(shared);
    const uri = 'book://a\n\nevent: catalog_changed\ndata: {}\r\n\u2028';
    await touch(shared, uri);
    await eventually(() => expect(stream.events()).toHaveLength(1));
    expect(stream.events()).toMatchObject([{ event: 'resource_updated', data: { server: 's', uri } }]);
  });
});

describe('a reader of updates', () => {
  it('that comes back gets what it missed, once, and then what is new [events-updates-replay]', async () => {
    const daemon = shared;
    const first = await openUpdates(daemon);
    for (const uri of ['a', 'b', 'c']) await touch(daemon, uri);
    await eventually(() => expect(first.events()).toHaveLength(3));
    const ids = first.events().map(({ id }) => id ?? '');
    expect(new Set(ids).size).toBe(3);
    first.close();
    await touch(daemon, 'd');
    const late = await openUpdates(daemon, { 'Last-Event-ID': ids[0] ?? '' });
    const last = await openUpdates(daemon, { 'Last-Event-ID': ids[2] ?? '' });
    const fresh = await openUpdates(daemon);
    await touch(daemon, 'e');
    await eventually(() => expect(uris(late.events())).toEqual(['b', 'c', 'd', 'e']));
    await eventually(() => expect(uris(last.events())).toEqual(['d', 'e']));
    await eventually(() => expect(uris(fresh.events())).toEqual(['e']));
    expect(
      late
        .events()
        .map(({ id }) => id)
        .slice(0, 2),
    ).toEqual(ids.slice(1));
  });

  it('with an unknown last event gets all stored events [events-updates-replay]', async () => {
    const { daemon } = await open();
    await touch(daemon, 'a');
    const stream = await openUpdates(daemon, { 'last-event-id': 'of another run' });
    await eventually(() => expect(uris(stream.events('resource_updated'))).toEqual(['a']));
    expect(stream.events('catalog_changed').length).toBeGreaterThan(0);
  });

  it('receives a comment every 15 s while nothing happens [events-updates-keep-alive]', async () => {
    const clockFactor = 20;
    const daemon = await startDaemonProcess({ mcpServers: {} }, { clockFactor });
    const startedAt = performance.now();
    const stream = await openUpdates(daemon);
    const comments = () => stream.text().match(/^:/gm)?.length ?? 0;
    await eventually(() => expect(comments()).toBeGreaterThanOrEqual(3)); // the first, and two
    expect((performance.now() - startedAt) * clockFactor).toBeGreaterThan(29_000);
    expect(stream.events()).toEqual([]);
  });

  it('does not delay the end of the service [events-updates-route] [daemon-sigterm-exit]', async () => {
    const { daemon } = await openProcess();
    const streams = await Promise.all(Array.from({ length: 20 }, () => openUpdates(daemon)));
    await openUnreadUpdates(daemon);
    const startedAt = performance.now();
    const { code } = await daemon.stop();
    await Promise.all(streams.map(({ ended }) => ended));
    expect(code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(4000); // the grace for calls is 5 s
  });

  it('that never reads delays no other reader, nor do 200 of them [events-updates-unread]', async () => {
    const { daemon } = await openProcess();
    await Promise.all(Array.from({ length: 200 }, () => openUnreadUpdates(daemon)));
    const reader = await openUpdates(daemon);
    expect((await touch(daemon, `book://${'x'.repeat(1000)}`, 500)).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 20 }, () => daemon.call('other.echo')));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    await eventually(() => expect(reader.events('resource_updated')).toHaveLength(500));
    expect((await daemon.get('/healthz')).status).toBe(200);
    expect((await daemon.stop()).code).toBe(0);
  });

  it('may not be a page of another origin [events-updates-route]', async () => {
    expect((await openUpdates(shared, { origin: 'http://evil.example' })).status).toBe(403);
  });
});
