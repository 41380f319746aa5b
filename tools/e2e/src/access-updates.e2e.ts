// The stream of changes for the holders of a role.
import { expect, it } from 'vitest';
import { startDaemon } from './support/daemon.js';
import { openUpdates } from './support/event-stream.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const as = (who: string) => ({ authorization: `Bearer ${who}-token` });

it('the stream of changes names what the reader sees, and is silent of the rest', async () => {
  const changing = scripted({ tools: [tool('announce'), tool('public_a'), tool('hidden_a')] });
  const own = await startDaemon({
    mcpServers: { s: changing.server },
    rbac: {
      roles: { some: { allow: ['s.public_*'] }, boss: { admin: true } },
      tokens: [
        { role: 'some', token: 'some-token' },
        { role: 'boss', token: 'boss-token' },
      ],
    },
  });
  await eventually(async () => expect((await own.list('capabilities', as('boss'))).body.capabilities).toHaveLength(3));
  const [some, boss] = [await openUpdates(own, as('some')), await openUpdates(own, as('boss'))];
  const change = async (...names: readonly string[]) => {
    const seen = boss.events('catalog_changed').length;
    changing.define({ tools: ['announce', ...names].map((name) => tool(name)) });
    await own.post('/v1/tools/call', { capability_id: 's.announce', args: { kind: 'tools' } }, as('boss'));
    await eventually(() => expect(boss.events('catalog_changed').length).toBeGreaterThan(seen));
  };
  await change('public_a', 'hidden_b');
  await change('public_b', 'hidden_c');
  const dataOf = (events: ReturnType<typeof some.events>) =>
    events.map(({ data: { added, removed, updated } }) => ({ added, removed, updated }));
  await eventually(() => expect(some.events('catalog_changed').at(-1)?.data.added).toEqual(['s.public_b']));
  const received = dataOf(some.events('catalog_changed'));
  expect(received.at(-1)).toEqual({ added: ['s.public_b'], removed: ['s.public_a'], updated: [] });
  expect(received).not.toContainEqual({ added: [], removed: [], updated: [] });
  expect(some.text()).not.toContain('hidden');
  const [first] = boss.events('catalog_changed');
  const replayed = await openUpdates(own, { ...as('some'), 'last-event-id': first?.id ?? '' });
  await eventually(() => expect(replayed.events('catalog_changed')).toHaveLength(1));
  expect(replayed.text()).not.toContain('hidden');
});
