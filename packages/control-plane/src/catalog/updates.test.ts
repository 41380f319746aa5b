// The change events of listeners: gathered, replayable, and only for entries that changed.
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { connectPlane, tool } from '../testing/start-plane.js';
import type { UpdateEvent } from './updates.js';

const git: MemoryServer = {
  definitions: { tools: [tool('a'), tool('b')], prompts: [{ name: 'a' }], resources: [{ uri: 'x:a', name: 'a' }] },
};
const web: MemoryServer = { definitions: { tools: [tool('fetch')] } };

async function start() {
  const started = await connectPlane({ git, web });
  await started.clock.advance(50);
  const received: UpdateEvent[] = [];
  const stop = started.plane.onUpdate((event) => received.push(event));
  return { ...started, received, stop };
}

describe('updates', () => {
  it('say what was added, removed and changed, in one event for all that came within 50 ms', async () => {
    const { clock, server, received, plane } = await start();
    server('git').change({ tools: [tool('a', { description: 'new' }), tool('c')] });
    await clock.advance(40);
    server('web').change({ tools: [] });
    await clock.advance(9);
    expect(received).toEqual([]);
    await clock.advance(1);
    expect(received).toEqual([
      {
        kind: 'catalog_changed',
        id: expect.any(String),
        data: {
          catalog_version: plane.state().catalog.version,
          added: ['git.c'],
          removed: ['git.b', 'web.fetch'],
          updated: ['git.a'],
          servers: ['git', 'web'],
        },
      },
    ]);
  });

  it('distinguish a tool and a prompt of one name', async () => {
    const { clock, server, received } = await start();
    server('git').change({ prompts: [] });
    await clock.advance(50);
    expect(received[0]?.data).toMatchObject({ added: [], removed: ['git.a'], updated: [] });
  });

  it('are silent where nothing changed', async () => {
    const { clock, server, received } = await start();
    server('git').change({});
    await clock.advance(1000);
    expect(received).toEqual([]);
  });

  it('say that a lost server is back, changed or not', async () => {
    const { clock, server, received } = await start();
    server('git').drop('killed');
    await clock.advance(1000);
    expect(received.map(({ data }) => data)).toMatchObject([{ added: [], removed: [], updated: [], servers: ['git'] }]);
  });

  it('are sent at once for resources', async () => {
    const { server, received } = await start();
    server('git').updateResource('x:a');
    expect(received).toMatchObject([{ kind: 'resource_updated', data: { server: 'git', uri: 'x:a' } }]);
  });

  it('replay what came after an event that is known, all that is kept after one that is not, and nothing without one', async () => {
    const { server, received, plane } = await start();
    for (const uri of ['x:1', 'x:2', 'x:3']) server('git').updateResource(uri);
    const replayed = (lastId?: string) => {
      const events: UpdateEvent[] = [];
      plane.onUpdate((event) => events.push(event), lastId)();
      return events.map(({ id }) => id);
    };
    const ids = received.map(({ id }) => id);
    expect([replayed(ids[0]), replayed(ids[2]), replayed()]).toEqual([ids.slice(1), [], []]);
    expect(replayed('from another run').slice(-3)).toEqual(ids);
  });

  it('keep the last thousand', async () => {
    const { server, plane } = await start();
    for (let n = 0; n < 1500; n += 1) server('git').updateResource(`x:${n}`);
    const events: UpdateEvent[] = [];
    plane.onUpdate((event) => events.push(event), 'unknown');
    expect([events.length, events[0]?.data, events.at(-1)?.data]).toEqual([
      1000,
      { server: 'git', uri: 'x:500' },
      { server: 'git', uri: 'x:1499' },
    ]);
  });

  it('end for a listener that has had enough', async () => {
    const { server, received, stop } = await start();
    stop();
    server('git').updateResource('x:a');
    expect(received).toEqual([]);
  });
});
