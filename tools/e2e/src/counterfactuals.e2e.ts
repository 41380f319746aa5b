// The proposals of explanations, carried out: each kind of refusal with a counterfactual is caused in a daemon, the
// change is made as the explanation says it, by its command or in the configuration file, and the same call ends
// otherwise.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Counterfactual, Explanation } from '@portico/contracts';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { porticoAt } from './support/cli.js';
import { type Daemon, startDaemon } from './support/daemon.js';
import { scripted, tool } from './support/upstreams.js';
import { eventually } from './support/wait.js';

const typed = tool('typed', {
  inputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
});
const names = ['free', 'gated', 'crash', 'slow'];
const { server } = scripted({ tools: [...names.map((name) => tool(name)), typed] });
const token = 'dev-token-0123456789';
const boss = 'boss-token-0123456789';
const rbac = (dev: object) => ({
  roles: { dev, boss: { admin: true } },
  tokens: [
    { role: 'dev', actorId: 'ann', token },
    { role: 'boss', actorId: 'eve', token: boss },
  ],
});

interface Answer {
  readonly ok: boolean;
  readonly trace_id: string;
  readonly error: { readonly code: string; readonly approval_id?: string } | null;
}

interface World {
  readonly daemon: Daemon;
  readonly configFile: string;
  readonly portico: ReturnType<typeof porticoAt>;
  call(request?: Request): Promise<Answer>;
}

type Request = Readonly<Record<string, unknown>>;

interface Case {
  readonly config?: object;
  /** The call that is refused, and sent again in the end. */
  readonly request: Request;
  readonly profile?: string;
  readonly isDev?: boolean;
  /** Runs before the call. */
  readonly before?: (world: World) => Promise<unknown>;
  /** Runs between its refusal and its explanation. */
  readonly after?: (world: World, refused: Answer) => Promise<unknown>;
  readonly code: string;
  /** Beginning of the change that is made. */
  readonly change: string;
  /** For changes by the caller: the request with the change. */
  readonly changed?: Request;
  /** For a change that names no value: the place in the configuration, and the value. */
  readonly value?: readonly [path: string, value: unknown];
}

const free = { capability_id: 's.free', args: {} };
const gated = { capability_id: 's.gated', args: {} };
const slow = { capability_id: 's.slow', args: { ms: 900 } };
const gate = { requireApproval: ['s.gated'] };
const frail = { resilience: { failureThreshold: 1, cooldownMs: 600_000 } };

const crash = async ({ call, daemon }: World) => {
  await call({ capability_id: 's.crash', args: {} });
  await eventually(async () => expect((await daemon.server('s')).circuit.state).toBe('open'));
  await daemon.connected('s');
};
const reject = ({ portico }: World, { error }: Answer) => portico(['approvals', 'reject', String(error?.approval_id)]);

const cases: Readonly<Record<string, Case>> = {
  'a deny rule': {
    config: { policy: { deny: ['s.fr*'] } },
    request: free,
    code: 'POLICY_DENIED',
    change: 'remove "s.fr*" from policy.deny',
  },
  'a deny rule of a role': {
    config: { rbac: rbac({ deny: ['s.free'] }) },
    isDev: true,
    request: free,
    code: 'POLICY_DENIED',
    change: 'remove "s.free" from rbac.roles.dev.deny',
  },
  'two rules that deny': {
    config: { policy: { deny: ['s.fr*', 's.free'] } },
    request: free,
    code: 'POLICY_DENIED',
    change: 'remove "',
  },
  'an allow list without it': {
    config: { policy: { allow: ['s.gated'] } },
    request: free,
    code: 'TOOL_NOT_FOUND',
    change: 'add "s.free" to policy.allow',
  },
  'a role that does not allow it': {
    config: { rbac: rbac({ allow: ['s.gated'] }) },
    isDev: true,
    request: free,
    code: 'TOOL_NOT_FOUND',
    change: 'add "s.free" to rbac.roles.dev.allow',
  },
  'a name that is not there': {
    request: { capability_id: 's.fre', args: {} },
    code: 'TOOL_NOT_FOUND',
    change: 'use an id that is listed',
    changed: free,
  },
  'an approval rule': {
    config: { policy: gate },
    request: gated,
    code: 'APPROVAL_PENDING',
    change: 'remove "s.gated" from policy.requireApproval',
  },
  'a ticket that waits': {
    config: { policy: gate },
    request: { ...gated, idempotency_key: 'k' },
    code: 'APPROVAL_PENDING',
    change: 'approve the ticket',
  },
  'a rejection': {
    config: { policy: gate },
    request: gated,
    after: reject,
    code: 'APPROVAL_PENDING',
    change: 'remove "s.gated" from policy.requireApproval',
  },
  'an argument of another type': {
    request: { capability_id: 's.typed', args: { n: 'x' } },
    code: 'INVALID_ARGS',
    change: 'correct args.n',
    changed: { capability_id: 's.typed', args: { n: 1 } },
  },
  'a modifier that is no path': {
    request: { ...free, args: { _jsonpath: '$..[' } },
    code: 'INVALID_ARGS',
    change: 'correct args._jsonpath',
    changed: free,
  },
  'an open circuit': {
    config: frail,
    before: crash,
    request: free,
    code: 'CIRCUIT_OPEN',
    change: 'restart the server',
  },
  'a circuit that opened a moment ago': {
    config: { resilience: { failureThreshold: 1, cooldownMs: 500 } },
    before: ({ call }) => call({ capability_id: 's.crash', args: {} }),
    request: free,
    code: 'CIRCUIT_OPEN',
    change: 'wait until the circuit admits a call',
    changed: free,
  },
  'a server that was given up': {
    config: { resilience: { maxRestarts: 0 } },
    before: async ({ call, daemon }) => {
      await call({ capability_id: 's.crash', args: {} });
      await eventually(async () => expect((await daemon.server('s')).status).toBe('disabled'));
    },
    request: free,
    code: 'SERVER_UNREACHABLE',
    change: 'restart the server',
  },
  'a deadline': {
    config: { toolTimeoutMs: 300 },
    request: slow,
    code: 'UPSTREAM_TIMEOUT',
    change: 'raise toolTimeoutMs (now 300)',
    value: ['toolTimeoutMs', 20_000],
  },
  'a profile that does not have the server': {
    config: { profiles: { p: { servers: ['other'] } } },
    profile: 'p',
    request: free,
    code: 'TOOL_NOT_FOUND',
    change: 'add "s" to profiles.p.servers',
  },
  'a share of approvals': {
    config: { policy: gate, limits: { approvals: 1 } },
    before: ({ call }) => call({ ...gated, args: { n: 1 } }),
    request: gated,
    code: 'POLICY_DENIED',
    change: 'raise limits.approvals',
    value: ['limits.approvals', 10],
  },
};

async function startWorld({ config = {}, profile, isDev = false }: Case): Promise<World> {
  const folder = tempFolder();
  const place = { configFile: join(folder, 'config.json'), stateDir: join(folder, 'state') };
  const all = { port: 0, mcpServers: { s: server, other: server }, ...config };
  const daemon = await startDaemon(all, place);
  const isGuarded = 'rbac' in all;
  const asked = isGuarded ? { Authorization: `Bearer ${boss}` } : {};
  await eventually(async () => {
    const { body } = await daemon.get<{ servers: readonly { status: string }[] }>('/v1/servers', asked);
    expect(body.servers.map(({ status }) => status)).toEqual(['connected', 'connected']);
  });
  const headers: Readonly<Record<string, string>> = {
    ...(isDev ? { Authorization: `Bearer ${token}` } : {}),
    ...(profile === undefined ? {} : { 'x-service-profile': profile }),
  };
  const portico = porticoAt(place, isGuarded ? { PORTICO_TOKEN: boss } : {});
  return {
    daemon,
    portico,
    configFile: place.configFile,
    call: async (request = {}) => (await daemon.post<Answer>('/v1/tools/call', request, headers)).body,
  };
}

const explain = async ({ portico }: World, id: string): Promise<Explanation> => {
  const { code, stderr, json } = await portico(['explain', id, '--json']);
  expect([code, stderr]).toEqual([0, '']);
  return json<{ readonly explanation: Explanation }>().explanation;
};

/** Changes the configuration file at a path of names. */
function edit(configFile: string, path: string, change: (value: unknown) => unknown): void {
  const config = JSON.parse(readFileSync(configFile, 'utf8'));
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at = config;
  for (const step of steps) at = at[step] ??= {};
  at[last] = change(at[last]);
  writeFileSync(configFile, JSON.stringify(config));
}

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Does what an explanation proposes: its command, or what it says about the configuration. */
async function apply(world: World, { change, how }: Counterfactual, { value, changed }: Case): Promise<void> {
  if (changed !== undefined) return; // the caller sends something else
  if (value !== undefined) return edit(world.configFile, value[0], () => value[1]);
  if (how.startsWith('portico ')) {
    const args = how
      .split(' ')
      .slice(1)
      .map((word) => word.replace(/^'(.*)'$/, '$1'));
    const { code, stderr } = await world.portico(args);
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    return;
  }
  for (const [, pattern, path = ''] of change.matchAll(/"([^"]+)" from ([\w.]+)/g))
    edit(world.configFile, path, (rules) => listed(rules).filter((rule) => rule !== pattern));
  const [, name = '', path = ''] = /^add "(.+)" to ([\w.]+)$/.exec(change) ?? [];
  if (path !== '') edit(world.configFile, path, (rules) => [...listed(rules), name]);
}

describe('what an explanation proposes has the effect that it says, for', () => {
  it.each(Object.entries(cases))('%s', async (_name, each) => {
    const world = await startWorld(each);
    await each.before?.(world);
    const refused = await world.call(each.request);
    expect([refused.ok, refused.error?.code]).toEqual([false, each.code]);
    await each.after?.(world, refused);
    const { counterfactuals } = await explain(world, refused.trace_id);
    const proposed = counterfactuals.find(({ change }) => change.startsWith(each.change));
    expect(proposed, JSON.stringify(counterfactuals)).toBeDefined();
    if (proposed === undefined) return;
    await apply(world, proposed, each);
    await eventually(async () => {
      const answer = await world.call(each.changed ?? each.request);
      expect(answer.error?.code).not.toBe(each.code);
      if (each.value === undefined) expect(answer).toMatchObject({ ok: true });
    });
  });
});
