// A decision counts under the policy and the catalog of the moment, not of the moment the ticket was opened.
import { describe, expect, it } from 'vitest';
import { approvalsOf, brief, callGated, contacts, openTicket } from './support/approvals.js';
import { tempFolder } from './support/cleanup.js';
import { startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';

const opened = { requireApproval: ['s.*'] };

/** Opens a ticket under one configuration and hands it to a daemon with another. */
async function reopened(config: object, rest: object = {}) {
  const upstream = scripted({ tools: [tool('echo'), tool('other')] });
  const stateDir = tempFolder();
  const mcpServers = { s: upstream.server };
  const profiles = { p: { servers: ['s'] } };
  const first = await startDaemon({ mcpServers, policy: opened, profiles }, { stateDir });
  await first.connected();
  const id = await openTicket(first, 's.echo', { n: 1 }, rest);
  await first.stop();
  const daemon = await startDaemon({ mcpServers, policy: opened, profiles, ...config }, { stateDir });
  await daemon.connected();
  return { upstream, daemon, id, approvals: approvalsOf(daemon) };
}

const key = { headers: { 'idempotency-key': 'k' } };

describe('approving after the policy has changed', () => {
  it.each([
    ['a deny rule covers the tool', { policy: { deny: ['s.echo'], ...opened } }, 'POLICY_DENIED'],
    [
      'a deny rule covers an alias of it',
      { policy: { deny: ['say'] }, capabilityAliases: { say: 's.echo' } },
      'POLICY_DENIED',
    ],
    ['allow does not cover it', { policy: { allow: ['s.other'], ...opened } }, 'TOOL_NOT_FOUND'],
    ['its server is gone', { mcpServers: {}, profiles: {} }, 'TOOL_NOT_FOUND'],
  ])('runs nothing where %s: %j gives %s [policy-execution-time] [approval-approve-route]', async (_, config, code) => {
    const { upstream, approvals, id } = await reopened(config);
    expect((await approvals.get(id)).status.status).toBe('pending');
    const { status, body } = await approvals.approve(id);
    expect([status, body.approval.status.status, body.result?.ok, body.result?.error.code]).toEqual([
      200,
      'approved',
      false,
      code,
    ]);
    expect(body.result?.retry).toEqual({ classification: 'safe', upstream_execution_state: 'not_started' });
    expect((await approvals.get(id)).result).toEqual(body.result);
    expect(contacts(upstream)).toEqual([]);
  });

  it.each([
    ['denies it', { servers: ['s'], policy: { deny: ['s.echo'] } }, 'POLICY_DENIED'],
    ['lost its server', { servers: [] }, 'TOOL_NOT_FOUND'],
  ])('runs nothing where the profile of the call %s [policy-execution-time]', async (_, p, code) => {
    const { upstream, approvals, id } = await reopened({ profiles: { p } }, { headers: { 'x-service-profile': 'p' } });
    const { status, body } = await approvals.approve(id);
    expect([status, body.result?.error.code]).toEqual([200, code]);
    expect(contacts(upstream)).toEqual([]);
  });

  it('closes with its profile: one that is deleted opens nothing [policy-execution-time]', async () => {
    const { upstream, approvals, id } = await reopened({ profiles: {} }, { headers: { 'x-service-profile': 'p' } });
    const { status, body } = await approvals.approve(id);
    expect([status, body.result?.ok]).toEqual([200, false]);
    expect(contacts(upstream)).toEqual([]);
  });

  it('runs where the tool needs no approval any more [approval-survives-restart] [approval-approve-route]', async () => {
    const { upstream, approvals, id } = await reopened({ policy: null });
    expect((await approvals.approve(id)).body.result?.ok).toBe(true);
    expect(contacts(upstream)).toEqual([{ n: 1 }]);
  });
});

describe('the key of a ticket after the policy has changed', () => {
  it('gives no stored answer past a new deny rule [policy-execution-time] [error-policy-denied]', async () => {
    const upstream = scripted({ tools: [tool('echo')] });
    const stateDir = tempFolder();
    const mcpServers = { s: upstream.server };
    const first = await startDaemon({ mcpServers, policy: opened }, { stateDir });
    await first.connected();
    const id = await openTicket(first, 's.echo', { n: 1 }, key);
    await approvalsOf(first).approve(id);
    await first.stop();
    const second = await startDaemon({ mcpServers, policy: { deny: ['s.echo'] } }, { stateDir });
    await second.connected();
    expect(brief(await callGated(second, 's.echo', { n: 1 }, key))).toEqual([403, 'POLICY_DENIED']);
    expect(await approvalsOf(second).get(id)).not.toHaveProperty('result'); // nor is it shown elsewhere
    expect(contacts(upstream)).toHaveLength(1);
  });

  it('and a deny rule that came while the ticket waits refuses the repeat, too [policy-execution-time] [error-policy-denied]', async () => {
    const { daemon, upstream } = await reopened({ policy: { deny: ['s.echo'] } }, key);
    expect(brief(await callGated(daemon, 's.echo', { n: 1 }, key))).toEqual([403, 'POLICY_DENIED']);
    expect(contacts(upstream)).toEqual([]);
  });
});
