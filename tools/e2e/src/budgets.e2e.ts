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
import { asking, scripted, tool } from './support/upstreams.js';
import type { Envelope } from './support/wire.js';

type List = InferOutput<typeof budgetListSchema>;

const budgetsOf = async (daemon: Daemon) => (await daemon.get<List>('/v1/budgets')).body.budgets;

it('a budget by actor is charged, refuses, is listed, and is emptied by an operator', async () => {
  const upstream = scripted({ tools: [tool('echo')] });
  const budgets = [{ id: 'night', scope: { by: 'actor', only: 'night-*' }, calls: 2, resultTokens: 200_000 }];
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, budgets });
  await daemon.connected();
  const call = (actor: string) => daemon.call('s.echo', {}, { context: { actor_id: actor } });
  const first = await call('night-agent');
  expect(first.headers['x-service-budget-remaining']).toMatch(/^"night";calls=1;result_tokens=199\d\d\d$/);
  const second = await call('night-agent');
  expect(second.headers['x-service-budget-remaining']).toMatch(/^"night";calls=0;result_tokens=199\d\d\d$/);
  expect([first.status, second.status]).toEqual([200, 200]);
  const { status, body, headers } = await call('night-agent');
  expect(status).toBe(403);
  expect(body.error).toMatchObject({ reason: 'budget_exhausted', budget: { id: 'night', used: 2, limit: 2 } });
  expect(Number(headers['retry-after'])).toBe(body.error.retry_after_secs);
  const other = await call('day-agent');
  expect([other.status, other.headers['x-service-budget-remaining']]).toEqual([200, undefined]);
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

it('a request_state makes a call free only if it was given for that call, and once', async () => {
  const upstream = asking('modern');
  const budgets = [{ id: 'all', calls: 3 }];
  const daemon = await startDaemon({ mcpServers: { s: upstream.server }, budgets });
  await daemon.connected();
  const statusOf = async (id: string, n: number, more: object = {}) => (await daemon.call(id, { n }, more)).status;
  const asked = await daemon.call<{ readonly requestState: string }>('s.ask', { n: 1 });
  const given = { request_state: asked.body.data.requestState, input_responses: { 'round-1': { action: 'decline' } } };
  expect([await statusOf('s.ask', 1, given), await statusOf('s.ask', 1, given)]).toEqual([200, 200]);
  expect((await budgetsOf(daemon))[0]?.accounts[0]?.used.calls).toBe(2);
  const made = { request_state: 'made-up' };
  expect([await statusOf('s.echo', 1, made), await statusOf('s.echo', 2, made)]).toEqual([200, 403]);
  expect([await statusOf('s.ask', 1, given), await statusOf('s.ask', 2, given)]).toEqual([403, 403]);
  expect(upstream.received('tools/call')).toHaveLength(4);
});

/** `PORTICO_BUDGET_KILLS=200` for a long run. */
const kills = Number(process.env.PORTICO_BUDGET_KILLS ?? 3);
const killsOfOne = 5;
/** Each state folder has a part of them, so that its budget is not used up by leases before the last one. */
const folders = Array.from({ length: Math.ceil(kills / killsOfOne) }, (_, at) => ({
  at: at + 1,
  kills: Math.min(killsOfOne, kills - at * killsOfOne),
}));

const limit = 1000;
/** Charged in advance, and kept by a kill. */
const leased = limit / 100;
const callers = 64;

it.each(folders)(
  'what was charged outlives $kills kills under 64 callers, and no budget is over-used ($at)',
  async ({ kills: own }) => {
    const upstream = scripted({ tools: [tool('echo')] });
    const budgets = [{ id: 'all', window: 'total', calls: limit }];
    const place = placeOf({ port: 0, mcpServers: { s: upstream.server }, budgets });
    const used = async (daemon: Daemon) => (await budgetsOf(daemon))[0]?.accounts[0]?.used.calls ?? 0;
    const sent = () => contacts(upstream).length;
    let answered = 0;
    for (let kill = 0; kill < own; kill += 1) {
      const daemon = await startDaemonProcess(undefined, place);
      await daemon.connected();
      const charged = await used(daemon);
      expect(charged).toBeGreaterThanOrEqual(answered);
      expect(charged).toBeLessThanOrEqual(Math.min(limit, sent() + kill * (leased + callers))); // charged, and not sent yet
      const calling = Array.from({ length: callers }, async () => {
        for (;;) {
          const reply = await daemon.call<Envelope>('s.echo').catch(() => undefined); // it was killed
          if (reply?.status !== 200) return;
          answered += 1;
        }
      });
      await sleep(randomInt(5, 60));
      await daemon.stop('SIGKILL');
      await Promise.all(calling);
    }
    const last = await startDaemon(undefined, place);
    await last.connected();
    const left = limit - (await used(last));
    const replies = await Promise.all(Array.from({ length: limit }, () => last.call('s.echo')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(left);
    expect(sent()).toBeLessThanOrEqual(limit);
    expect(sent()).toBeGreaterThanOrEqual(answered + left);
  },
);
