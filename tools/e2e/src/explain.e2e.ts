// Why calls ended as they did, as HTTP and the command say it; and that what they propose has the effect that they say.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Explanation } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { approvalsOf, openTicket } from './support/approvals.js';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { portico } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const typed = tool('typed', {
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
});
const definitions = {
  tools: [...['free', 'gated', 'denied', 'crash', 'tool_error', 'hidden'].map((name) => tool(name)), typed],
};
const mcpServers = (server: object) => ({ s: server, frail: server });
const policy = { deny: ['*.denied'], requireApproval: ['s.gated'] };
const resilience = { failureThreshold: 1, cooldownMs: 600_000 };

async function start(config: object = {}, options: { readonly stateDir?: string } = {}) {
  const { server } = scripted(definitions);
  const daemon = await startDaemon({ mcpServers: mcpServers(server), policy, resilience, ...config }, options);
  await daemon.connected();
  return { daemon, explain: explainerOf(daemon), approvals: approvalsOf(daemon) };
}

/** The explanation of an id; the error code where there is none. */
function explainerOf(daemon: Daemon, headers: Readonly<Record<string, string>> = {}) {
  return async (id: string): Promise<Explanation> => {
    const path = `/v1/traces/${encodeURIComponent(id)}/explain`;
    const { status, body } = await daemon.get<{ explanation: Explanation }>(path, headers);
    expect(status).toBe(200);
    return body.explanation;
  };
}

/** Runs a command line that an explanation proposes. */
async function follow(daemon: Daemon, { how }: { readonly how: string } = { how: '' }) {
  const words = how.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'));
  expect(words[0]).toBe('portico');
  const [, ...args] = words;
  const { code, stderr } = await portico([...args, '--url', daemon.url]);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
}

const verdictOf = ({ steps }: Explanation, step: string) => steps.find((each) => each.step === step)?.verdict;

describe('a call is explained', () => {
  it('that a rule denied, and the change that is proposed lets it run', async () => {
    const { daemon, explain } = await start();
    const { status, body } = await daemon.call('s.denied');
    const explanation = await explain(body.trace_id);
    expect(explanation).toMatchObject({ outcome: 'denied', cause: 'denied_by_rule', verified: true, missing: [] });
    expect([status, verdictOf(explanation, 'authorize'), verdictOf(explanation, 'converse')]).toEqual([
      403,
      'stopped',
      'not_reached',
    ]);
    expect(explanation.counterfactuals).toMatchObject([{ change: 'remove "*.denied" from policy.deny', as_of: 'now' }]);
    await follow(daemon, explanation.counterfactuals[0]);
    expect((await daemon.call('s.denied')).status).toBe(200);
    expect(await explain(body.trace_id)).toMatchObject({
      outcome: 'denied',
      as_of: 'then',
      now: { as_of: 'now', decision: 'allow' },
    });
  });

  it('that a person rejected, by its approval, its request and its record', async () => {
    const { daemon, explain, approvals } = await start();
    const id = await openTicket(daemon, 's.gated', {}, { request_id: 'req/1' });
    expect(await explain(id)).toMatchObject({ cause: 'approval_pending', outcome: 'intercepted' });
    await approvals.reject(id, { operator: 'ada', reason: 'not today' });
    const explanation = await explain(id);
    expect(explanation).toMatchObject({ outcome: 'denied', cause: 'approval_rejected', verified: true, missing: [] });
    expect(explanation.summary).toContain('ada rejected it: not today');
    const [rejected] = await auditOf(daemon).events('?event_type=approval_rejected');
    expect([await explain('req/1'), await explain(String(rejected?.id))]).toEqual([explanation, explanation]);
  });

  it('whose tool failed, whose circuit is open, and whose server is well again after what is proposed', async () => {
    const { daemon, explain } = await start();
    const failed = await daemon.call('s.tool_error');
    expect(await explain(failed.body.trace_id)).toMatchObject({ cause: 'tool_error', outcome: 'failed' });
    await daemon.call('frail.crash');
    await eventually(async () => expect((await daemon.server('frail')).circuit.state).toBe('open'));
    await daemon.connected('frail');
    const { status, body } = await daemon.call('frail.free');
    const explanation = await explain(body.trace_id);
    expect([status, explanation.cause]).toEqual([503, 'circuit_open']);
    await follow(
      daemon,
      explanation.counterfactuals.find(({ change }) => change.startsWith('restart')),
    );
    await daemon.connected('frail');
    expect((await daemon.call('frail.free')).status).toBe(200);
  });

  it('that is not there, that was not valid, and that was a replay', async () => {
    const { daemon, explain } = await start();
    const absent = await daemon.call('s.nothing');
    expect(await explain(absent.body.trace_id)).toMatchObject({ cause: 'not_found' });
    const invalid = await daemon.call('s.typed', { n: 'x' });
    const { counterfactuals } = await explain(invalid.body.trace_id);
    expect(counterfactuals).toMatchObject([{ change: 'correct args.n', how: 'portico describe s.typed' }]);
    const first = await daemon.call('s.free', {}, { idempotency_key: 'k' });
    await daemon.call('s.free', {}, { idempotency_key: 'k' }); // its envelope is the first one, with the trace of that
    const [replay] = await auditOf(daemon).events('?event_type=idempotent_replay');
    const explanation = await explain(String(replay?.id));
    const [origin] = await auditOf(daemon).events(`?trace_id=${first.body.trace_id}`);
    expect(explanation).toMatchObject({ cause: 'replayed', verified: true, missing: [] });
    expect(explanation.steps.find(({ step }) => step === 'dedupe')?.evidence).toContain(origin?.id);
  });

  it('by the command, on one screen; an id that is not known is said to be none', async () => {
    const { daemon } = await start();
    const { body } = await daemon.call('s.denied');
    const { code, stdout } = await portico(['explain', body.trace_id, '--url', daemon.url]);
    expect([code, stdout.split('\n').length < 25]).toEqual([0, true]);
    expect(stdout).toMatch(/^s\.denied: denied \(POLICY_DENIED\): the deny rule "\*\.denied" covers "s\.denied"\.$/m);
    expect(stdout).toMatch(/^ {2}record +ok .*\[aud-\d+\]$/m);
    expect(stdout).toMatch(/^ {2}authorize +STOPPED +the deny rule/m);
    expect(stdout).toMatch(/^verified +yes: /m);
    const json = await portico(['explain', body.trace_id, '--json', '--url', daemon.url]);
    expect(json.json()).toMatchObject({ ok: true, explanation: { cause: 'denied_by_rule' } });
    const unknown = await portico(['explain', 'appr-0-9', '--url', daemon.url]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('request "appr-0-9"')]);
  });
});

describe('a log that was changed', () => {
  it('is said to be so where a record is cited', async () => {
    const folder = tempFolder();
    const file = join(folder, 'audit.jsonl');
    const place = { stateDir: join(folder, 'state') };
    const config = { audit: { filePath: file } };
    const first = await start(config, place);
    const { body } = await first.daemon.call('s.denied');
    await first.daemon.call('s.free');
    expect(await first.explain(body.trace_id)).toMatchObject({ verified: true });
    await first.daemon.stop();
    const lines = readFileSync(file, 'utf8').split('\n');
    const changed = lines.map((line) =>
      line.includes('deny:*.denied') ? line.replace('deny:*.denied', 'deny:*.other_') : line,
    );
    writeFileSync(file, changed.join('\n'));
    const { explain } = await start(config, place);
    expect(await explain(body.trace_id)).toMatchObject({
      verified: false,
      verification: expect.stringContaining('its contents do not give its hash'),
    });
  });
});

describe('who is no admin', () => {
  const rbac = {
    roles: { dev: { allow: ['s.free', 's.denied'] }, boss: { admin: true } },
    tokens: ['ann', 'bob'].map((actorId) => ({ role: 'dev', actorId, token: `${actorId}-token-0123456789` })),
  };
  const boss = { role: 'boss', actorId: 'eve', token: 'boss-token-0123456789' };
  const as = (name: string) => ({ Authorization: `Bearer ${name}-token-0123456789` });

  it('sees their own traces, and of what is hidden no more than of what does not exist', async () => {
    const { server } = scripted(definitions);
    const config = { mcpServers: { s: server }, policy, rbac: { ...rbac, tokens: [...rbac.tokens, boss] } };
    const daemon = await startDaemon(config);
    const call = async (id: string, who: string, rest: object = {}) => {
      const body = { capability_id: id, args: {}, ...rest };
      return (await daemon.post<{ trace_id: string }>('/v1/tools/call', body, as(who))).body.trace_id;
    };
    await eventually(async () => {
      const { body } = await daemon.get<{ servers: { status: string }[] }>('/v1/servers', as('boss'));
      expect(body.servers).toMatchObject([{ status: 'connected' }]);
    });
    const [hidden, absent, denied] = [
      await call('s.hidden', 'ann'),
      await call('s.nothing', 'ann'),
      await call('s.denied', 'ann', { request_id: 'req/1' }),
    ];
    const comparable = ({ trace_id, steps, ...rest }: Explanation) => [
      rest,
      steps.map(({ evidence, ...step }) => step),
    ];
    const ann = explainerOf(daemon, as('ann'));
    expect(comparable(await ann(hidden))).toEqual(comparable(await ann(absent)));
    expect(await explainerOf(daemon, as('boss'))(hidden)).toMatchObject({
      cause: 'not_visible',
      counterfactuals: [{ change: 'add "s.hidden" to rbac.roles.dev.allow' }],
    });
    expect(await ann(denied)).toMatchObject({ cause: 'denied_by_rule' });
    expect(await ann('req/1')).toMatchObject({ trace_id: denied, cause: 'denied_by_rule' });
    const byBob = await daemon.get<{ trace_id?: string }>('/v1/traces/req%2F1/explain', as('bob'));
    const byNone = await daemon.get<{ trace_id?: string }>('/v1/traces/req%2F2/explain', as('bob'));
    expect([byBob.status, byBob.text.replace('req/1', 'req/2').length]).toEqual([404, byNone.text.length]);
    const of = async (who: string, query = '') => {
      const { body } = await daemon.get<{ traces: { trace_id: string; status: string }[] }>(
        `/v1/traces${query}`,
        as(who),
      );
      return body.traces.map(({ trace_id, status }) => [trace_id, status]);
    };
    expect(await of('ann')).toEqual([
      [denied, 'denied'],
      [absent, 'failed'],
      [hidden, 'failed'],
    ]);
    expect(await of('boss', '?status=denied&limit=1')).toEqual([[denied, 'denied']]);
    expect(await of('bob')).toEqual([]);
    expect((await daemon.get(`/v1/traces/${denied}/explain`, as('bob'))).status).toBe(404);
    expect((await daemon.get(`/v1/traces?status=bad`, as('bob'))).status).toBe(400);
  });
});
