// A trial of the policy predicts the outcome of a call, for every role and profile; and the records of rules on trial.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Explanation, PolicyPreviewed, PolicyRuleInfo, PolicyTested } from '@portico/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { auditOf } from './support/audit.js';
import { tempFolder } from './support/cleanup.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';
import type { Envelope } from './support/wire.js';

const typed = tool('typed', {
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
});
const names = ['read', 'write', 'drop'];
const serve = () => scripted({ tools: [...names.map((name) => tool(name)), typed] }).server;
type CallError = Envelope['error'] & { readonly hint?: string };
const boss = { authorization: 'Bearer boss-token' };

describe('a trial', () => {
  const roles = {
    agent: { deny: ['s.drop'], requireApproval: ['s.write'] },
    reader: { allow: ['s.read', 's.typed'] },
    bound: { profile: 'dev' },
    boss: { admin: true },
  };
  const config = {
    mcpServers: { s: serve(), other: serve() },
    capabilityAliases: { wipe: 's.drop' },
    profiles: { dev: { servers: ['s'], policy: { requireApproval: ['s.read'] } } },
    policy: { deny: ['other.write'], requireApproval: ['other.drop'] },
    rbac: { roles, tokens: Object.keys(roles).map((role) => ({ role, token: `${role}-token` })) },
  };
  let daemon: Daemon;
  beforeAll(async () => {
    daemon = await startDaemon(config);
    await eventually(async () => {
      const { body } = await daemon.list('capabilities', boss);
      expect(body.capabilities.map(({ server }) => server)).toEqual(expect.arrayContaining(['s', 'other']));
    });
  });
  const ids = ['s.read', 's.write', 's.drop', 'wipe', 's.typed', 'other.read', 'other.write', 'other.drop', 's.gone'];
  const asked = (body: object) => daemon.post<PolicyTested>('/v1/config/policy/test', body, boss);

  it.each(Object.keys(roles))('as %s says of every capability what a call then gets', async (role) => {
    for (const id of ids) {
      for (const args of [{}, { n: 1 }, { n: 'none' }]) {
        const { status, body } = await asked({ id, role, args });
        const call = await daemon.post<Envelope>(
          '/v1/tools/call',
          { capability_id: id, args },
          { authorization: `Bearer ${role}-token` },
        );
        const error: CallError | null = call.body.error;
        expect(status).toBe(200);
        expect([id, args, body.answer?.status ?? 200, body.answer?.code]).toEqual([id, args, call.status, error?.code]);
        const isHeld = error?.code === 'APPROVAL_PENDING'; // its message names the ticket
        if (!isHeld) expect([body.answer?.message, body.answer?.hint]).toEqual([error?.message, error?.hint]);
      }
    }
  });

  it('through a profile says the same', async () => {
    const { body } = await asked({ id: 's.read', profile: 'dev' });
    expect(body).toMatchObject({
      effect: 'waits_for_approval',
      written_at: ['profiles.dev.policy.requireApproval[0]'],
    });
    expect((await asked({ id: 'other.read', profile: 'dev' })).body).toMatchObject({
      effect: 'not_found',
      written_at: ['profiles.dev.servers'],
    });
  });

  it.each([
    [
      '/v1/config/policy/test',
      { id: 's.read', role: 'agnet' },
      'role: there is no role "agnet"; did you mean "agent"?',
    ],
    [
      '/v1/config/policy/test',
      { id: 's.read', profile: 'def' },
      'profile: there is no profile "def"; did you mean "dev"?',
    ],
    ['/v1/config/policy/test', { id: 's.read', args: [1] }, 'args: expected an object'],
    ['/v1/config/policy/preview', { pattern: '' }, 'pattern'],
    ['/v1/config/policy/preview', { pattern: 's.*', since: 'soon' }, 'since: expected a time'],
    ['/v1/config/policy/preview', { policy: { denied: [] } }, 'is not a field here'],
    ['/v1/config/policy/preview', {}, 'give a pattern'],
    ['/v1/config/policy/preview', { pattern: '\udc00x' }, 'pattern: is not valid Unicode text'],
    ['/v1/config/policy/preview', { policy: { deny: ['s.\ud800'] } }, 'policy.deny[0]: is not valid Unicode text'],
    ['/v1/config/policy', { deny: ['s.\ud800'] }, 'deny[0]: is not valid Unicode text'],
  ])('%s with %j is refused with the field', async (path, body, message) => {
    const { status, body: refused } = await daemon.post<Envelope>(path, body, boss);
    expect([status, refused.error?.code]).toEqual([400, 'INVALID_ARGS']);
    expect(refused.error?.message).toContain(message);
  });
});

describe('rules on trial', () => {
  const shadow = { deny: ['s.drop', 's.held'], requireApproval: ['s.wr*'] };

  async function start(policy: object) {
    const folder = tempFolder();
    const configFile = join(folder, 'config.json');
    const audit = { filePath: join(folder, 'audit.jsonl') };
    const config = JSON.stringify({ mcpServers: { s: serve() }, policy, audit });
    const daemon = await startDaemon(config, { configFile });
    await daemon.connected();
    const rules = async () =>
      (await daemon.get<{ rules: readonly PolicyRuleInfo[] }>('/v1/config/policy/rules')).body.rules;
    return { daemon, configFile, rules, audit: auditOf(daemon) };
  }

  it('let calls run, and are found in records, explanations, metrics and beside the rules', async () => {
    const { daemon, audit, rules } = await start({ shadow });
    const answers = [];
    for (const id of ['s.read', 's.write', 's.drop', 's.drop']) answers.push(await daemon.call(id));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const shadows = (await audit.events('?shadow=any')).map(({ capability_id, details }) => [
      capability_id,
      details?.shadow,
    ]);
    expect(shadows).toEqual([
      ['s.drop', 'deny:s.drop'],
      ['s.drop', 'deny:s.drop'],
      ['s.write', 'require_approval:s.wr*'],
    ]);
    expect(await audit.events('?shadow=deny:s.drop')).toHaveLength(2);
    const path = `/v1/traces/${answers[3]?.body.trace_id}/explain`;
    const { body } = await daemon.get<{ explanation: Explanation }>(path);
    expect(body.explanation.steps.find(({ step }) => step === 'authorize')?.because).toContain(
      'it would have been refused by the shadow rule "s.drop"',
    );
    expect((await daemon.get('/metrics')).text).toContain('portico_shadow_hits_total{effect="deny"} 2');
    expect((await rules()).map(({ path: at, matches, hits, mode }) => [at, matches, hits, mode])).toEqual([
      ['policy.shadow.deny[0]', 1, 2, 'shadow'],
      ['policy.shadow.deny[1]', 0, 0, 'shadow'],
      ['policy.shadow.requireApproval[0]', 1, 1, 'shadow'],
    ]);
    expect((await audit.report()).is_valid).toBe(true);
  });

  it('are put on trial, in force and out of it while the service runs', async () => {
    const { daemon, configFile, rules } = await start({});
    const put = (body: object) => daemon.post<Envelope>('/v1/config/policy', body);
    const tested = async () => (await daemon.post<PolicyTested>('/v1/config/policy/test', { id: 's.drop' })).body;
    expect((await put({ shadow: { deny: ['s.drop'] } })).body).toMatchObject({
      policy: { deny: [], shadow: { deny: ['s.drop'], allow: [], require_approval: [] } },
    });
    expect(await tested()).toMatchObject({
      effect: 'runs',
      shadow: { decision: 'deny', rule: 'deny:s.drop', written_at: ['policy.shadow.deny[0]'] },
    });
    expect((await daemon.call('s.drop')).status).toBe(200);
    await put({ deny: ['s.drop'], shadow: null });
    expect([(await daemon.call('s.drop')).status, (await tested()).shadow]).toEqual([403, null]);
    expect(JSON.parse(readFileSync(configFile, 'utf8')).policy).toEqual({ deny: ['s.drop'] });
    expect(await rules()).toMatchObject([{ path: 'policy.deny[0]', hits: 1, last_hit: expect.any(String) }]);
    expect((await put({ shadow: { denied: [] } })).status).toBe(400);
  });

  it('do not list calls that the rules in force refuse, and name those that a person holds', async () => {
    const { daemon, audit } = await start({
      deny: ['s.drop'],
      requireApproval: ['s.write'],
      shadow: { deny: ['s.*'] },
    });
    expect([(await daemon.call('s.drop')).status, (await daemon.call('s.write')).status]).toEqual([403, 202]);
    expect(await audit.events('?shadow=any')).toEqual([]);
    const { body } = await daemon.get<{ approvals: readonly { id: string }[] }>('/v1/approvals');
    await daemon.post(`/v1/approvals/${body.approvals[0]?.id}/approve`, { operator: 'ada' });
    expect(await audit.events('?shadow=any')).toMatchObject([{ capability_id: 's.write', status: 'success' }]);
  });

  it('have a preview over the calls that were recorded', async () => {
    const { daemon } = await start({});
    for (const id of ['s.read', 's.drop', 's.drop']) await daemon.call(id);
    const request = { pattern: 's.dr*', since: '0' };
    const { body } = await daemon.post<PolicyPreviewed>('/v1/config/policy/preview', request);
    expect(body).toMatchObject({
      matches: { total: 1, items: [{ kind: 'tool', id: 's.drop' }] },
      changed: { total: 1, items: [{ id: 's.drop', from: 'allow', to: 'deny' }] },
      past: { calls: 3, complete: true, durable: true, changed: { total: 1, items: [{ id: 's.drop', calls: 2 }] } },
    });
  });
});
