// `portico usage`: counts of the audit log by tool, server, program and actor.
import { expect, it } from 'vitest';
import { portico } from './support/cli.js';
import { startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';

it('counts calls, failures and refusals by tool, server, program and actor, and what definitions cost', async () => {
  const tools = ['echo', 'fail', 'denied'].map((name) => tool(name));
  const mcpServers = { s: scripted({ tools }).server, t: scripted({ tools }).server };
  const daemon = await startDaemon({ mcpServers, policy: { deny: ['*.denied'] } });
  await daemon.connected();
  const call = (id: string, client: string, actor = 'ann') =>
    daemon.post(
      '/v1/tools/call',
      { capability_id: id, args: {}, context: { actor_id: actor } },
      { 'x-service-client': client },
    );
  for (const id of ['s.echo', 's.echo', 's.fail', 't.denied']) await call(id, 'night');
  await call('t.echo', 'day', 'bob');
  const usage = async (...args: readonly string[]) => {
    const { json } = await portico(['usage', ...args, '--json', '--url', daemon.url]);
    const { rows } = json<{ rows: { name: string; calls: number; failed: number; refused: number }[] }>();
    return rows.map(({ name, calls, failed, refused }) => [name, calls, failed, refused]);
  };
  expect(await usage('--by', 'server')).toEqual([
    ['s', 3, 1, 0],
    ['t', 1, 0, 1],
  ]);
  expect(await usage('--by', 'client')).toEqual([
    ['night', 3, 1, 1],
    ['day', 1, 0, 0],
  ]);
  expect(await usage('--by', 'actor')).toEqual([
    ['ann', 3, 1, 1],
    ['bob', 1, 0, 0],
  ]);
  expect(await usage('--actor', 'bob')).toEqual([['t.echo', 1, 0, 0]]);
  expect(await usage('--since', '1h')).toEqual([
    ['s.echo', 2, 0, 0],
    ['s.fail', 1, 1, 0],
    ['t.denied', 0, 0, 1],
    ['t.echo', 1, 0, 0],
  ]);
  const servers = await portico(['usage', '--by', 'server', '--json', '--url', daemon.url]);
  const [first] = servers.json<{ rows: { definition_tokens: number }[] }>().rows;
  expect(first?.definition_tokens).toBe(
    Math.ceil(tools.reduce((sum, each) => sum + JSON.stringify(each).length, 0) / 4),
  );
  const shown = await portico(['usage', '--by', 'client', '--client', 'day', '--url', daemon.url]);
  expect(shown.stdout).toMatch(/CLIENT +CALLS +FAILED +REFUSED +LAST\nday +1 +0 +0 /);
});
