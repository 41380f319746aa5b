// Every way a call can end before its upstream is contacted: its answer, the effects that did not happen, and its one
// event.
import { genesisHash } from '@portico/audit-chain';
import type { ErrorCode } from '@portico/contracts';
import { type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { type CallInput, connectPlane, correlation, hang, tool } from '../testing/start-plane.js';

const inputSchema = { type: 'object', properties: { n: { type: 'number' } } };
const s: MemoryServer = {
  definitions: {
    tools: [tool('open', { inputSchema }), tool('denied'), tool('hidden'), tool('gated'), tool('never')],
    resources: [{ uri: 'x:gated', name: 'gated' }],
    resourceTemplates: [{ uriTemplate: 'x:{any}', name: 'any' }],
    prompts: [{ name: 'gated', arguments: [{ name: 'who', required: true }] }],
  },
  handle: ({ params }) => (params.name === 'never' ? hang() : { content: [] }),
};
const file = {
  toolTimeoutMs: 1000,
  policy: {
    allow: ['s.open', 's.denied', 's.gated', 's.never', 's.x:*', 'dead.*'],
    deny: ['bad', 's.x:secret'],
    requireApproval: ['s.gated', 's.x:gated'],
  },
  capabilityAliases: { bad: 's.denied', g: 's.gated' },
  profiles: { narrow: { servers: ['s'], policy: { deny: ['s.open'] } }, none: { servers: [] } },
  resilience: { failureThreshold: 1, cooldownMs: 60_000 },
};

const call = (id: string, rest: object = {}): CallInput => ({ kind: 'tool', id, ...rest });
const keyed = { idempotencyKey: 'k' };

interface Row {
  readonly what: string;
  readonly input: CallInput;
  readonly code: ErrorCode;
  readonly event: string;
  readonly tickets?: number;
}

const rows: readonly Row[] = [
  { what: 'an unknown tool', input: call('s.nope', keyed), code: 'TOOL_NOT_FOUND', event: 'tool_call failed' },
  {
    what: 'a tool that is not allowed',
    input: call('s.hidden', keyed),
    code: 'TOOL_NOT_FOUND',
    event: 'policy_violation denied',
  },
  {
    what: 'an unknown profile',
    input: call('s.open', { profile: 'x' }),
    code: 'TOOL_NOT_FOUND',
    event: 'tool_call failed',
  },
  {
    what: 'a tool outside the profile',
    input: call('s.open', { profile: 'none' }),
    code: 'TOOL_NOT_FOUND',
    event: 'policy_violation denied',
  },
  { what: 'a denied tool', input: call('s.denied', keyed), code: 'POLICY_DENIED', event: 'policy_violation denied' },
  {
    what: 'a denied tool by its alias',
    input: call('bad', keyed),
    code: 'POLICY_DENIED',
    event: 'policy_violation denied',
  },
  {
    what: 'a tool that the profile denies',
    input: call('s.open', { profile: 'narrow' }),
    code: 'POLICY_DENIED',
    event: 'policy_violation denied',
  },
  {
    what: 'a denied resource in another spelling',
    input: { kind: 'resource', id: 's.x:%73ecret' },
    code: 'POLICY_DENIED',
    event: 'policy_violation denied',
  },
  {
    what: 'wrong arguments',
    input: call('s.open', { args: { n: 'x' }, ...keyed }),
    code: 'INVALID_ARGS',
    event: 'tool_call failed',
  },
  {
    what: 'a wrong modifier',
    input: call('s.open', { args: { _limit_lines: 0 } }),
    code: 'INVALID_ARGS',
    event: 'tool_call failed',
  },
  {
    what: 'wrong arguments of a gated prompt',
    input: { kind: 'prompt', id: 's.gated' },
    code: 'INVALID_ARGS',
    event: 'prompt_get failed',
  },
  {
    what: 'arguments that no digest can be made of',
    input: call('s.open', { args: { a: '\ud800' }, ...keyed }),
    code: 'INVALID_ARGS',
    event: 'tool_call failed',
  },
  {
    what: 'a gated tool',
    input: call('s.gated', keyed),
    code: 'APPROVAL_PENDING',
    event: 'approval_created intercepted',
    tickets: 1,
  },
  {
    what: 'a gated tool by its alias',
    input: call('g'),
    code: 'APPROVAL_PENDING',
    event: 'approval_created intercepted',
    tickets: 1,
  },
  {
    what: 'a gated resource',
    input: { kind: 'resource', id: 's.x:gated' },
    code: 'APPROVAL_PENDING',
    event: 'approval_created intercepted',
    tickets: 1,
  },
  {
    what: 'a server that is away',
    input: call('dead.any', keyed),
    code: 'SERVER_UNREACHABLE',
    event: 'tool_call failed',
  },
];

async function start() {
  const refuse = () => {
    throw new UpstreamFailure('no such command', { kind: 'unreachable', sent: false });
  };
  return connectPlane({ s, dead: { onConnect: refuse } }, file);
}

describe('a call that ends early', () => {
  it.each(rows)('for $what contacts no server, keeps nothing it should not, and leaves one event', async (row) => {
    const { plane, clock, server, audit, ledger, outcome } = await start();
    const { kind, envelope } = await outcome(row.input);
    expect([kind, envelope.error?.code]).toEqual([row.tickets === undefined ? 'answered' : 'pending', row.code]);
    expect(envelope.retry).toEqual({ classification: 'safe', upstream_execution_state: 'not_started' });
    expect(server('s').requests()).toEqual([]);
    expect((await plane.approvals.list({ limit: 10, offset: 0 })).total).toBe(row.tickets ?? 0);
    expect(await ledger.list('local', { limit: 10, offset: 0 }, clock.epochMs())).toEqual([]);
    expect(audit.kept().map(({ event_type, status }) => `${event_type} ${status}`)).toEqual([row.event]);
  });

  it('for an open circuit contacts no server and keeps nothing', async () => {
    const { clock, server, audit, ledger, outcome } = await start();
    await outcome(call('dead.any')); // opens the circuit
    const { envelope } = await outcome(call('dead.any', keyed));
    expect(envelope.error?.code).toBe('CIRCUIT_OPEN');
    expect([server('s').requests(), await ledger.list('local', { limit: 9, offset: 0 }, clock.epochMs())]).toEqual([
      [],
      [],
    ]);
    expect(audit.kept().map(({ error_code }) => error_code)).toEqual(['SERVER_UNREACHABLE', 'CIRCUIT_OPEN']);
  });

  it('for a request id in use contacts no server, and the call that has it continues', async () => {
    const { clock, server, audit, outcome, plane } = await start();
    const named = { correlation: { ...correlation, requestId: 'r' } };
    const first = outcome(call('s.never', named));
    await clock.advance(0); // sends it
    const { envelope } = await outcome(call('s.open', named));
    expect(envelope.error).toMatchObject({
      code: 'INVALID_ARGS',
      message: 'another operation is in flight under request id "r"; wait for it, or use another',
    });
    expect(server('s').requests()).toHaveLength(1);
    expect(audit.kept().map(({ status }) => status)).toEqual(['failed']);
    await plane.cancel('local', 'r');
    expect((await first).envelope.error?.code).toBe('OPERATION_CANCELLED');
    expect(audit.kept().map(({ status }) => status)).toEqual(['failed', 'cancelled']);
  });

  it('is not replaced by a rejected audit record: it answers INTERNAL_ERROR with the known facts', async () => {
    const stores = await start();
    const { audit, outcome, log } = stores;
    audit.begin = () => ({ end: () => Promise.reject(new Error('disk full')) });
    const { envelope } = await outcome(call('s.open'));
    expect(envelope.error).toMatchObject({ code: 'INTERNAL_ERROR', retryable: false });
    expect(envelope.retry.upstream_execution_state).toBe('completed');
    expect(log.at(-1)).toMatchObject({ level: 'error', message: 'an audit record could not be written' });
  });
});

describe('an event of a call', () => {
  it('says who called what, how it ended, and never shows what is redacted', async () => {
    const { execute, audit } = await start();
    const named = { requestId: 'r', traceId: correlation.traceId, context: { actor_id: 'me' } };
    await execute(call('s.open', { correlation: named, args: { n: 1, password: 'p' }, ...keyed }));
    expect(audit.kept()).toEqual([
      {
        id: 'aud-000000000001',
        seq: 1,
        timestamp: '1970-01-01T00:00:00.000Z',
        event_type: 'tool_call',
        status: 'success',
        trace_id: correlation.traceId,
        request_id: 'r',
        actor_id: 'me',
        server_id: 's',
        capability_id: 's.open',
        idempotency_key: 'k',
        is_replay: false,
        sanitized_args: { n: 1 },
        duration_us: 0,
        prev_hash: genesisHash,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
  });

  it('is a replay where the answer was stored, with the key', async () => {
    const { outcome, audit } = await start();
    await outcome(call('s.open', keyed));
    expect((await outcome(call('s.open', keyed))).kind).toBe('replayed');
    expect(audit.kept().at(-1)).toMatchObject({
      event_type: 'idempotent_replay',
      is_replay: true,
      idempotency_key: 'k',
      status: 'success',
    });
  });
});
