// The effect of a change of the rules: on listed entries, and on recorded calls.
import type { AuditDraft } from '@portico/audit-chain';
import { describe, expect, it } from 'vitest';
import { connectPlane, tool, traceId } from '../testing/start-plane.js';

const definitions = {
  tools: ['read', 'write', 'drop'].map((name) => tool(name)),
  prompts: [{ name: 'greet' }],
  resources: [{ uri: 'mem:note', name: 'note' }],
};
const s = { definitions, handle: () => ({ content: [] }) };
const nobody = { profile: null, role: null };

const start = (policy: object = {}) => connectPlane({ s }, { policy, rbac: { roles: { r: {} }, tokens: [] } });

describe('a preview', () => {
  it('has what a pattern matches, and whose verdict it would change', async () => {
    const { plane } = await start({ deny: ['s.drop'] });
    const pattern = { text: 's.*', list: 'deny' } as const;
    const { matches, changed, isComplete, past } = await plane.policy.preview({ pattern, viewer: nobody });
    expect(matches?.items.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
      'tool s.read',
      'tool s.write',
      'tool s.drop',
      'resource s.mem:note',
      'prompt s.greet',
    ]);
    expect(changed.total).toBe(4);
    expect(changed.items).toContainEqual({ kind: 'tool', id: 's.read', from: 'allow', to: 'deny' });
    expect([isComplete, past]).toEqual([true, undefined]);
  });

  it('takes lists as they would be, also where they loosen', async () => {
    const { plane } = await start({ deny: ['s.drop'] });
    const { matches, changed } = await plane.policy.preview({ lists: { deny: [] }, viewer: nobody });
    expect([matches, changed.items]).toEqual([undefined, [{ kind: 'tool', id: 's.drop', from: 'deny', to: 'allow' }]]);
  });

  it('counts the recorded calls whose verdict would change, by what was called', async () => {
    const { plane, execute, clock } = await start({ deny: ['s.drop'] });
    for (const id of ['s.read', 's.read', 's.write', 's.drop']) await execute({ kind: 'tool', id });
    const pattern = { text: 's.*', list: 'requireApproval' } as const;
    const { past } = await plane.policy.preview({ pattern, viewer: nobody, sinceMs: clock.epochMs() - 1000 });
    expect(past).toMatchObject({ calls: 4, undetermined: 0, isComplete: true });
    expect(past?.changed.items.map(({ id, from, to, calls }) => [id, from, to, calls])).toEqual([
      ['s.read', 'allow', 'require_approval', 2],
      ['s.write', 'allow', 'require_approval', 1],
    ]);
  });

  const draft: AuditDraft = {
    timestamp: '2026-01-01T00:00:00.000Z',
    event_type: 'tool_call',
    status: 'success',
    capability_id: 's.read',
  };
  const pattern = { text: 's.*', list: 'deny' } as const;

  it.each<[string, readonly Partial<AuditDraft>[], object]>([
    [
      'a call that was approved once',
      [{ approval_id: 'a', status: 'intercepted' }, { approval_id: 'a' }],
      { calls: 1 },
    ],
    ['a role that is gone as undetermined', [{ role: 'gone' }, { role: 'r' }], { calls: 2, undetermined: 1 }],
    ['a profile that is gone as undetermined', [{ profile: 'gone' }], { calls: 1, undetermined: 1 }],
  ])('counts %s', async (_, drafts, expected) => {
    const { plane, audit, clock } = await start();
    const timestamp = new Date(clock.epochMs()).toISOString();
    for (const each of drafts) await audit.append({ ...draft, timestamp, ...each });
    const { past } = await plane.policy.preview({ pattern, viewer: nobody, sinceMs: 0 });
    expect(past).toMatchObject(expected);
  });

  it('counts no call twice, and none that came later, while the log grows', async () => {
    const { plane, audit, clock } = await start();
    const append = async (count: number, ms: number) => {
      const timestamp = new Date(ms).toISOString();
      for (let n = 0; n < count; n += 1) await audit.append({ ...draft, timestamp });
    };
    await append(700, clock.epochMs());
    const asked = plane.policy.preview({ pattern, viewer: nobody, sinceMs: 0 });
    await append(100, clock.epochMs() + 1);
    expect((await asked).past).toMatchObject({ calls: 700, records: 700, isComplete: true });
  });

  it('counts no call of before the time that is asked for', async () => {
    const { plane, execute, clock } = await start();
    await execute({ kind: 'tool', id: 's.read' });
    await clock.advance(10_000);
    const pattern = { text: 's.*', list: 'deny' } as const;
    const { past } = await plane.policy.preview({ pattern, viewer: nobody, sinceMs: clock.epochMs() - 1000 });
    expect(past).toMatchObject({ calls: 0, changed: { total: 0 } });
  });

  it.each([
    [{ profile: null, role: 'rr' }, 'role: there is no role "rr"; did you mean "r"?'],
    [{ profile: 'none', role: null }, 'profile: there is no profile "none"'],
  ])('of a viewer that there is not, %j, is refused', async (viewer, message) => {
    const { plane } = await start();
    await expect(plane.policy.preview({ lists: {}, viewer })).rejects.toThrow(message);
  });
});

describe('the rules that are configured', () => {
  it('have their place, what they match, and how often they were met', async () => {
    const policy = {
      deny: ['s.drop'],
      allow: ['s.*'],
      requireApproval: ['s.w*'],
      shadow: { deny: ['s.r*', 'gone.*'] },
    };
    const { plane, execute } = await start(policy);
    for (const id of ['s.drop', 's.write', 's.read', 's.read']) await execute({ kind: 'tool', id });
    const { rules, total } = await plane.policy.rules();
    expect(rules.map(({ path, matches, hits, isShadow }) => [path, matches, hits, isShadow])).toEqual([
      ['policy.deny[0]', 1, 1, false],
      ['policy.allow[0]', 5, undefined, false],
      ['policy.requireApproval[0]', 1, 1, false],
      ['policy.shadow.deny[0]', 1, 2, true],
      ['policy.shadow.deny[1]', 0, 0, true],
    ]);
    expect([total, rules[3]?.lastHitMs]).toEqual([5, expect.any(Number)]);
    expect(rules.map(({ lastHit }) => lastHit)).toEqual([
      { capability: 's.drop', traceId },
      undefined,
      { capability: 's.write', traceId },
      { capability: 's.read', traceId },
      undefined,
    ]);
  });
});

describe('the verdicts on what is listed', () => {
  const policy = { deny: ['s.drop'], requireApproval: ['s.w*'] };
  const profiles = { none: { servers: [] } };
  const roles = { narrow: { allow: ['s.read'] } };
  const startWith = () => connectPlane({ s }, { policy, profiles, rbac: { roles, tokens: [] } });

  it('name the rule that decides and where it is written, and only count what runs', async () => {
    const { plane } = await startWith();
    expect(await plane.policy.verdicts(nobody)).toEqual({
      counts: { runs: 3, waits_for_approval: 1, denied: 1, not_found: 0 },
      verdicts: [
        {
          kind: 'tool',
          id: 's.write',
          effect: 'waits_for_approval',
          rule: 'require_approval:s.w*',
          places: ['policy.requireApproval[0]'],
          dependsOn: [],
        },
        {
          kind: 'tool',
          id: 's.drop',
          effect: 'denied',
          rule: 'deny:s.drop',
          places: ['policy.deny[0]'],
          dependsOn: [],
        },
      ],
      isComplete: true,
    });
  });

  it('are those of a role and of a profile', async () => {
    const { plane } = await startWith();
    const { counts } = await plane.policy.verdicts({ profile: null, role: 'narrow' });
    expect(counts).toEqual({ runs: 1, waits_for_approval: 0, denied: 1, not_found: 3 });
    const outside = await plane.policy.verdicts({ profile: 'none', role: null });
    expect([outside.counts.not_found, outside.verdicts[0]?.places]).toEqual([5, ['profiles.none.servers']]);
    await expect(plane.policy.verdicts({ profile: 'non', role: null })).rejects.toThrow('did you mean "none"?');
  });
});
