// Roles in the plane: what they see and run, who may decide, and which updates they get.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../call/call.js';
import { createMemoryStores } from '../memory-stores.js';
import { type CallInput, connectPlane, stopped, tool } from '../testing/start-plane.js';
import { mayName, narrowUpdate } from './narrow-update.js';

const servers: Readonly<Record<string, MemoryServer>> = {
  git: {
    definitions: { tools: [tool('log'), tool('push')], resources: [{ uri: 'a://b', name: 'b' }] },
    handle: () => ({ content: [] }),
  },
  web: { definitions: { tools: [tool('fetch')] }, handle: () => ({ content: [] }) },
};
const file = {
  policy: { requireApproval: ['git.push'] },
  profiles: { dev: { servers: ['git'] } },
  capabilityAliases: { ship: 'git.push' },
  rbac: {
    roles: {
      free: {},
      reader: { allow: ['git.log'] },
      byAlias: { allow: ['ship'] },
      dev: { profile: 'dev', deny: ['git.a://*'] },
      gated: { requireApproval: ['web.*'], redactKeys: ['pin'] },
      boss: { admin: true },
    },
  },
};
const as = (role: string, actor = 'ann'): Pick<Caller, 'principal' | 'role' | 'actor'> => ({
  principal: `actor:${actor}`,
  role,
  actor,
});
const viewer = (role: string | null, profile: string | null = null) => ({ role, profile });
const code = async (
  plane: { execute(input: CallInput): Promise<{ readonly error: { readonly code: string } | null }> },
  input: CallInput,
) => (await plane.execute(input)).error?.code;

describe('a call of a role', () => {
  it.each<[string, string, string | undefined]>([
    ['free', 'git.log', undefined],
    ['free', 'git.push', 'APPROVAL_PENDING'],
    ['reader', 'git.log', undefined],
    ['reader', 'git.push', 'TOOL_NOT_FOUND'],
    ['reader', 'ship', 'TOOL_NOT_FOUND'],
    ['byAlias', 'git.push', 'APPROVAL_PENDING'],
    ['dev', 'web.fetch', 'TOOL_NOT_FOUND'],
    ['gated', 'web.fetch', 'APPROVAL_PENDING'],
    ['unknown', 'git.log', 'TOOL_NOT_FOUND'],
  ])('%s of %s ends with %s', async (role, id, expected) => {
    const plane = await connectPlane(servers, file);
    expect(await code(plane, { kind: 'tool', id, ...as(role) })).toBe(expected);
  });

  it('reads nothing that a rule denies', async () => {
    const plane = await connectPlane(servers, file);
    expect(await code(plane, { kind: 'resource', id: 'git.a://b', ...as('dev') })).toBe('POLICY_DENIED');
    expect(await code(plane, { kind: 'resource', id: 'git.a://b', ...as('free') })).toBeUndefined();
  });
});

describe('an approval', () => {
  const elicits: JsonObject = { elicitation: { form: {} } };
  const asking = (asked: unknown[]) => ({
    capabilities: elicits,
    ask: async (question: unknown) => {
      asked.push(question);
      return { action: 'accept', content: { approve: true } };
    },
  });

  it('is put to clients that may decide, and to no other', async () => {
    const asked: unknown[] = [];
    const plane = await connectPlane(servers, file);
    const call = { kind: 'tool', id: 'git.push', client: asking(asked) } as unknown as CallInput;
    expect(await code(plane, { ...call, ...as('free') })).toBe('APPROVAL_PENDING');
    expect(asked).toEqual([]);
    void plane.outcome({ ...call, ...as('boss') });
    await plane.clock.advance(0);
    expect(asked).toHaveLength(1);
  });

  it('runs the call under the role of its caller, also where another approves or the role has changed', async () => {
    const plane = await connectPlane(servers, file);
    const asked = await plane.execute({ kind: 'tool', id: 'web.fetch', args: { pin: 1, q: 2 }, ...as('gated') });
    const id = asked.error?.approval_id ?? '';
    const [ticket] = (await plane.plane.approvals.list({ limit: 1, offset: 0 })).approvals;
    expect(ticket?.sanitized_args).toEqual({ q: 2 });
    const gated = { ...as('gated'), profile: null };
    expect(await plane.plane.approvals.get(id, { ...gated, principal: 'actor:bob' })).toBeUndefined();
    expect(await plane.plane.approvals.get(id, gated)).toMatchObject({ id });
    const decision = await plane.plane.approvals.approve(id, 'me', null, { decidedBy: 'eve' });
    expect(decision).toMatchObject({
      kind: 'decided',
      approval: { status: { operator: 'me', decided_by: 'eve' } },
      result: { ok: true },
    });
    const { events } = await plane.audit.list({ event_type: 'tool_call' }, { limit: 1, offset: 0 });
    expect(events).toMatchObject([{ role: 'gated', actor_id: 'ann', sanitized_args: { q: 2 } }]);
  });

  it('that a role has lost its right to in between runs nothing', async () => {
    const stores = createMemoryStores(stopped);
    const before = await connectPlane(servers, file, stores);
    const asked = await before.execute({ kind: 'tool', id: 'web.fetch', ...as('gated') });
    const roles = { ...file.rbac.roles, gated: { deny: ['web.*'] } };
    const later = await connectPlane(servers, { ...file, rbac: { roles } }, stores);
    const decision = await later.plane.approvals.approve(asked.error?.approval_id ?? '', 'me', null);
    expect(decision).toMatchObject({ result: { error: { code: 'POLICY_DENIED' } } });
  });
});

describe('a stored answer', () => {
  it('is shown as long as its role may see it', async () => {
    const plane = await connectPlane(servers, file);
    await plane.execute({ kind: 'tool', id: 'git.log', idempotencyKey: 'k', ...as('free') });
    const shown = async (role: string) => (await plane.plane.record(as(role), 'k'))?.response.ok;
    expect([await shown('free'), await shown('byAlias')]).toEqual([true, false]);
  });
});

describe('updates', () => {
  it('names nothing that the view does not hold', async () => {
    const { plane } = await connectPlane(servers, file);
    const named = (role: string) =>
      ['git.log', 'git.push', 'ship', 'git.a://b', 'web.fetch', 'web.gone', 'nope'].filter((id) =>
        mayName(plane.state(), viewer(role), id),
      );
    expect(named('free')).toEqual(['git.log', 'git.push', 'ship', 'git.a://b', 'web.fetch', 'web.gone']);
    expect(named('reader')).toEqual(['git.log']);
    expect(named('byAlias')).toEqual(['git.push', 'ship']);
    expect(named('dev')).toEqual(['git.log', 'git.push', 'ship']);
    expect(named('unknown')).toEqual([]);
  });

  it('of a change is what is left of it, or nothing', async () => {
    const { plane } = await connectPlane(servers, file);
    const data = {
      catalog_version: 'v',
      added: ['git.log', 'web.x'],
      removed: ['git.push'],
      updated: [],
      servers: ['git'],
    };
    const event = { kind: 'catalog_changed', id: '1', data } as const;
    const dataFor = (role: string | null) => narrowUpdate(plane.state(), viewer(role), event)?.data;
    expect(dataFor(null)).toBe(data);
    expect(dataFor('reader')).toEqual({ ...data, added: ['git.log'], removed: [] });
    expect(dataFor('unknown')).toBeUndefined();
    const back = { ...event, data: { ...data, added: [], removed: [], servers: ['web'] } };
    expect(narrowUpdate(plane.state(), viewer('reader'), back)).toBeUndefined();
    expect(narrowUpdate(plane.state(), viewer('boss'), back)).toEqual(back);
    const touched = { kind: 'resource_updated', id: '2', data: { server: 'git', uri: 'a://b' } } as const;
    expect(narrowUpdate(plane.state(), viewer('dev'), touched)).toBeUndefined();
    expect(narrowUpdate(plane.state(), viewer('free'), touched)).toBe(touched);
  });
});
