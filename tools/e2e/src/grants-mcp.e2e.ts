// A user of an MCP client keeps an approval by a choice of the question; the next call asks nothing.
import { describe, expect, it } from 'vitest';
import { contacts } from './support/approvals.js';
import { eras } from './support/asked-clients.js';
import { startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';

const args = { repo: 'acme/site', title: 'one' };

async function start() {
  const upstream = scripted({ tools: [tool('pay')] });
  const daemon = await startDaemon({
    mcpServers: { s: upstream.server },
    mcpHttpServer: { port: 0 },
    capabilityAliases: { pay: { target: 's.pay', passthrough: true } },
    policy: { requireApproval: ['s.pay'], grants: { enabled: true } },
  });
  await daemon.connected();
  return { upstream, daemon, url: new URL(daemon.mcpUrl()) };
}

describe.each(eras)('a client of %s', (_era, connect) => {
  it('is offered scopes of its call, and keeps one of them', async () => {
    const { upstream, daemon, url } = await start();
    const content = { decision: 'this_repo', for: '1h', uses: '20' };
    const client = await connect(url, async () => ({ action: 'accept', content }));
    await client.call(args);
    expect(client.asked[0]?.decisions).toEqual(['once', 'same_arguments', 'this_repo', 'this_title', 'no']);
    await client.call({ ...args, title: 'two' });
    expect(client.asked).toHaveLength(1);
    expect(contacts(upstream)).toHaveLength(2);
    const { body } = await daemon.get<{ readonly grants: readonly object[] }>('/v1/grants');
    expect(body.grants).toMatchObject([
      { conditions: [{ path: '/repo', value: 'acme/site' }], free: ['/title'], uses: 20, uses_left: 19 },
    ]);
    await client.call({ ...args, repo: 'other' });
    expect(client.asked).toHaveLength(2);
  });

  it('keeps nothing by an answer that was not offered', async () => {
    const { upstream, daemon, url } = await start();
    const client = await connect(url, async () => ({ action: 'accept', content: { decision: 'everything' } }));
    expect(await client.call(args)).toContain('APPROVAL_PENDING');
    expect(contacts(upstream)).toEqual([]);
    expect((await daemon.get<{ readonly total: number }>('/v1/grants?state=all')).body.total).toBe(0);
  });
});
