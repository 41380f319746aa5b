// Budgets in the daemon: over HTTP and with the command, and what is left of them when it is killed.
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { budgetListSchema } from '@portico/contracts';
import type { InferOutput } from 'valibot';
import { expect, it } from 'vitest';
import { contacts } from './support/approvals.js';
import { auditOf } from './support/audit.js';
import { portico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { startDaemonProcess } from './support/daemon-process.js';
import { placeOf } from './support/mcp.js';
import { parsePrometheus } from './support/prometheus.js';
import { scripted, tool } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

type List = InferOutput<typeof budgetListSchema>;

const budgetsOf = async (daemon: Daemon) => (await daemon.get<List>('/v1/budgets')).body.budgets;

it('a budget by actor is charged, refuses, is listed, and is emptied by an operator', async () => {
  const upstream = scripted({ tools: [tool('echo')] });
  const budgets = [{ id: 'night', scope: { by: 'actor', only: 'night-*' }, calls: 2, resultTokens: 200_000 }];
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, budgets });
  await daemon.connected();
  const call = (actor: string) => daemon.call('s.echo', {}, { context: { actor_id: actor } });
  expect([(await call('night-agent')).status, (await call('night-agent')).status]).toEqual([200, 200]);
  const { status, body, headers } = await call('night-agent');
  expect(status).toBe(403);
  expect(body.error).toMatchObject({ reason: 'budget_exhausted', budget: { id: 'night', used: 2, limit: 2 } });
  expect(Number(headers['retry-after'])).toBe(body.error.retry_after_secs);
  expect((await call('day-agent')).status).toBe(200);
  const metrics = parsePrometheus((await daemon.get('/metrics')).text).get('portico_budget_used_ratio')?.samples;
  expect(metrics).toContainEqual(expect.objectContaining({ labels: { budget: 'night' }, value: 1 }));
  const explained = await daemon.get<{ explanation: object }>(`/v1/traces/${body.trace_id}/explain`);
  expect(explained.body.explanation).toMatchObject({ cause: 'budget_exhausted' });

  const shown = await portico(['budgets', 'list', '--url', daemon.url]);
  expect(shown.stdout).toMatch(/night +night-agent +calls +2 +2 +100/);
  expect(shown.stderr).toContain('tokens are estimated: a quarter of the bytes of the results');
  const reset = await portico(['budgets', 'reset', 'night', '--scope', 'night-agent', '--url', daemon.url]);
  expect(reset.stdout).toBe('night: 1 account emptied\n');
  expect((await call('night-agent')).status).toBe(200);
  const changes = await auditOf(daemon).events('?event_type=config_change');
  expect(changes).toContainEqual(
    expect.objectContaining({ details: expect.objectContaining({ action: 'budget_reset', scope: 'night-agent' }) }),
  );
  const unknown = await portico(['budgets', 'reset', 'day', '--url', daemon.url]);
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no budget "day"; there are "night"')]);
});

it('what was charged outlives kills under 64 callers, and no budget is over-used', async () => {
  const upstream = scripted({ tools: [tool('echo')] });
  const limit = 150;
  const budgets = [{ id: 'all', window: 'total', calls: limit }];
  const place = placeOf({ port: 0, mcpServers: { s: upstream.server }, budgets });
  const used = async (daemon: Daemon) => (await budgetsOf(daemon))[0]?.accounts[0]?.used.calls ?? 0;
  let answered = 0;
  for (let kill = 0; kill < 3; kill += 1) {
    const daemon = await startDaemonProcess(undefined, place);
    await daemon.connected();
    expect(await used(daemon)).toBeGreaterThanOrEqual(answered);
    const callers = Array.from({ length: 64 }, async () => {
      for (;;) {
        const reply = await daemon.call<Envelope>('s.echo').catch(() => undefined); // it was killed
        if (reply?.status !== 200) return;
        answered += 1;
      }
    });
    await sleep(randomInt(5, 60));
    await daemon.stop('SIGKILL');
    await Promise.all(callers);
  }
  const last = await startDaemon(undefined, place);
  await last.connected();
  const left = limit - (await used(last));
  const replies = await Promise.all(Array.from({ length: limit }, () => last.call('s.echo')));
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(left);
  expect(contacts(upstream).length).toBeLessThanOrEqual(limit);
  expect(contacts(upstream).length).toBeGreaterThanOrEqual(answered + left);
});
