// The previewed effect of rules equals their effect on later calls.
import { expect, test } from 'vitest';
import { startPlane, toCall } from '../testing/start-plane.js';
import type { PolicyTrial } from './try-policy.js';

const typed = { name: 'typed', inputSchema: { type: 'object', properties: { n: { type: 'number' } } } };
const tools = [...['open', 'gated', 'closed'].map((name) => ({ name, inputSchema: { type: 'object' } })), typed];
const file = {
  policy: { deny: ['git.closed'], requireApproval: ['nick'] },
  capabilityAliases: { nick: 'git.gated' },
  profiles: { narrow: { servers: ['git'], policy: { allow: ['git.gated'] } }, other: { servers: [] } },
  rbac: { roles: { reader: { deny: ['git.open'] } }, tokens: [] },
};

async function start() {
  const started = startPlane({ git: { definitions: { tools }, handle: () => ({ content: [] }) } }, file);
  await started.clock.advance(0);
  return started.plane;
}
const trial = (id: string, rest: Partial<PolicyTrial> = {}): PolicyTrial => ({
  kind: 'tool',
  id,
  profile: null,
  role: null,
  ...rest,
});

test.each([
  ['git.open', {}, { decision: { kind: 'allow' }, effect: 'runs', names: ['git.open'] }],
  ['git.gated', {}, { effect: 'waits_for_approval', decision: { kind: 'require_approval', pattern: 'nick' } }],
  ['nick', {}, { effect: 'waits_for_approval', names: ['git.gated', 'nick'] }],
  ['git.closed', {}, { effect: 'denied', decision: { kind: 'deny', pattern: 'git.closed' } }],
  ['git.open', { profile: 'narrow' }, { effect: 'not_found', decision: { kind: 'not_allowed' } }],
  ['git.open', { profile: 'other' }, { effect: 'not_found', decision: { kind: 'allow' } }],
  ['git.open', { role: 'reader' }, { effect: 'denied', decision: { kind: 'deny', pattern: 'git.open' } }],
  ['git.gone', {}, { effect: 'not_found', decision: { kind: 'allow' }, names: ['git.gone'] }],
] as const)('%s with %j', async (id, rest, expected) => {
  expect((await start()).policy.try(trial(id, rest))).toMatchObject(expected);
});

const spellings = [
  's.mem:note',
  'mem:note',
  'mem:%6Eote',
  's.mem:shut',
  'mem:shut',
  's.mem:gone',
  'mem:gone',
  'ui://s/p',
  's.ui://p',
];
const asked = [
  ...spellings.map((id) => ['resource', id] as const),
  ...['s.run', 'nick', 's.shut', 's.held', 's.gone'].map((id) => ['tool', id] as const),
  ...['s.greet', 's.shut', 's.gone'].map((id) => ['prompt', id] as const),
];
const viewers = [undefined, 'narrow', 'other'].map((profile) => profile ?? null);
const cases = asked.flatMap(([kind, id]) => viewers.map((profile) => [kind, id, profile] as const));

test.each(cases)('a trial of the %s %s in profile %s says what its call meets', async (kind, id, profile) => {
  const definitions = {
    tools: ['run', 'shut', 'held'].map((name) => ({ name, inputSchema: { type: 'object' } })),
    resources: ['mem:note', 'mem:shut', 'ui://p'].map((uri) => ({ uri, name: uri })),
    prompts: ['greet', 'shut'].map((name) => ({ name })),
  };
  const { plane, clock } = startPlane(
    { s: { definitions, handle: () => ({ content: [], contents: [], messages: [] }) } },
    {
      policy: { deny: ['s.shut', 's.mem:shut'], requireApproval: ['s.held'] },
      capabilityAliases: { nick: 's.run' },
      profiles: { narrow: { servers: ['s'], policy: { allow: ['s.run', 's.mem:*'] } }, other: { servers: [] } },
    },
  );
  await clock.advance(0);
  const { effect } = plane.policy.try({ kind, id, profile, role: null });
  const { code = 'none' } = (await plane.execute(toCall({ kind, id, profile }))).envelope.error ?? {};
  const effects: Readonly<Record<string, string>> = {
    none: 'runs',
    POLICY_DENIED: 'denied',
    APPROVAL_PENDING: 'waits_for_approval',
  };
  expect(effect).toBe(effects[code] ?? (code.endsWith('_NOT_FOUND') ? 'not_found' : code));
});

test('a URI without its server is tried by the names of what its call reads', async () => {
  const definitions = { resources: [{ uri: 'mem:note', name: 'note' }] };
  const { plane, clock } = startPlane(
    { s: { definitions, handle: () => ({ contents: [] }) } },
    { policy: { deny: ['s.mem:note'] } },
  );
  await clock.advance(0);
  const verdict = plane.policy.try({ kind: 'resource', id: 'mem:note', profile: null, role: null });
  expect(verdict).toMatchObject({ effect: 'denied', isKnown: true, places: ['policy.deny[0]'] });
  expect(verdict.names).toContain('s.mem:note');
});

test('calls meet the same', async () => {
  const plane = await start();
  const codeOf = async (id: string) => {
    const { envelope } = await plane.execute(toCall({ kind: 'tool', id }));
    return envelope.error?.code;
  };
  expect(await codeOf('git.closed')).toBe('POLICY_DENIED');
  expect(await codeOf('nick')).toBe('APPROVAL_PENDING');
});

test('a role or profile that there is not is said', async () => {
  const plane = await start();
  expect(() => plane.policy.try(trial('git.open', { profile: 'none' }))).toThrow('profile: there is no profile "none"');
  expect(() => plane.policy.try(trial('git.open', { role: 'none' }))).toThrow('role: there is no role "none"');
});

test.each([
  ['git.closed', {}, { places: ['policy.deny[0]'], answer: { status: 403, code: 'POLICY_DENIED' } }],
  ['nick', {}, { places: ['policy.requireApproval[0]'], answer: { status: 202, code: 'APPROVAL_PENDING' } }],
  ['git.open', { role: 'reader' }, { places: ['rbac.roles.reader.deny[0]'] }],
  ['git.open', { profile: 'narrow' }, { places: ['profiles.narrow.policy.allow'], answer: { status: 404 } }],
  ['git.open', { profile: 'other' }, { places: ['profiles.other.servers'], answer: { status: 404 } }],
  ['git.opne', {}, { near: ['git.open'], answer: { code: 'TOOL_NOT_FOUND', hint: 'did you mean "git.open"?' } }],
  ['git.open', {}, { places: [], answer: undefined, isKnown: true }],
] as const)('%s with %j is decided where it is written, and answered so', async (id, rest, expected) => {
  expect((await start()).policy.try(trial(id, rest))).toMatchObject(expected);
});

test.each([
  [
    { token: 'x', deep: { password: 'y', fine: 1 } },
    { fits: 'yes', redacted: ['token', 'deep.password'] },
  ],
  [{ n: 'no number' }, { fits: 'no', problem: expect.stringContaining('n') }],
] as const)('of the arguments %j it reports the problem and the redacted parts', async (args, expected) => {
  const verdict = (await start()).policy.try(trial('git.typed', { args }));
  expect(verdict.args).toMatchObject(expected);
  expect(JSON.stringify(verdict.args?.sanitized)).not.toMatch(/"x"|"y"/);
});
