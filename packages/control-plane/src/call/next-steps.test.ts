// The next step in the envelope of every error code: in its hint, or in its message. A code without a row does not compile.
import { type Envelope, type ErrorCode, errorCodes } from '@portico/contracts';
import { type MemoryServer, UpstreamFailure } from '@portico/upstream-pool';
import { expect, it } from 'vitest';
import { type CallInput, connectPlane, correlation, hang, tool } from '../testing/start-plane.js';

const work: CallInput = { kind: 'tool', id: 's.work' };
const gated: CallInput = { ...work, approvalWaitMs: 100_000 };
const requireApproval = { policy: { requireApproval: ['s.*'] } };

const inputSchema = { type: 'object', properties: { n: { type: 'number' } } } as const;

function start(handle: NonNullable<MemoryServer['handle']> = () => ({ content: [] }), file: object = {}) {
  return connectPlane({ s: { definitions: { tools: [tool('work', { inputSchema })] }, handle } }, file);
}

const failWith = (error: Error) => () => {
  throw error;
};
const lost = failWith(new UpstreamFailure('socket closed', { kind: 'unreachable', sent: true }));
const refused = failWith(new UpstreamFailure('no', { kind: 'rejected', error: { code: -32000, message: 'no' } }));

const envelopes: Readonly<Record<ErrorCode, () => Promise<Envelope>>> = {
  TOOL_NOT_FOUND: async () => (await start()).execute({ kind: 'tool', id: 'x.unknown' }),
  RESOURCE_NOT_FOUND: async () => (await start()).execute({ kind: 'resource', id: 's.x:y' }),
  PROMPT_NOT_FOUND: async () => (await start()).execute({ kind: 'prompt', id: 's.greet' }),
  INVALID_ARGS: async () => (await start()).execute({ ...work, args: { n: 'one' } }),
  POLICY_DENIED: async () => (await start(undefined, { policy: { deny: ['s.*'] } })).execute(work),
  APPROVAL_PENDING: async () => (await start(undefined, requireApproval)).execute(work),
  async APPROVAL_TIMEOUT() {
    const { execute, clock } = await start(undefined, {
      policy: { ...requireApproval.policy, approvalTimeoutSecs: 60 },
    });
    const envelope = execute(gated);
    await clock.advance(0);
    await clock.advance(60_000);
    return envelope;
  },
  async APPROVAL_REJECTED() {
    const { execute, clock, plane } = await start(undefined, requireApproval);
    const envelope = execute(gated);
    await clock.advance(0);
    await plane.approvals.reject('appr-0-1', 'ann', null);
    return envelope;
  },
  async CIRCUIT_OPEN() {
    const { execute } = await start(lost);
    for (let i = 0; i < 3; i += 1) await execute(work);
    return execute(work);
  },
  async SERVER_UNREACHABLE() {
    const { execute, server, clock } = await start(undefined, { resilience: { maxRestarts: 0 } });
    server('s').drop('child exited with code 1');
    await clock.advance(0);
    return execute(work);
  },
  async UPSTREAM_TIMEOUT() {
    const { execute, clock } = await start(hang, { toolTimeoutMs: 200 });
    const envelope = execute(work);
    await clock.advance(200);
    return envelope;
  },
  UPSTREAM_ERROR: async () => (await start(refused)).execute(work),
  async OPERATION_CANCELLED() {
    const { execute, plane, clock } = await start(hang);
    const envelope = execute({ ...work, correlation: { ...correlation, requestId: 'r' } });
    await clock.advance(0);
    await plane.cancel('local', 'r');
    return envelope;
  },
  INTERNAL_ERROR: async () => (await start(failWith(new RangeError('boom')))).execute(work),
};

/** A second clause, the time of the next try, or the setting of a limit that was exceeded. */
const nextStep = /; |retry in \d+ ms|\(\w+(, \w+: \w+)?\)$/;

/** A person or the server has decided, or the id is in none of the lists: the message says so, and no more. */
const withoutNextStep: readonly ErrorCode[] = [
  'TOOL_NOT_FOUND', // without a similar id
  'RESOURCE_NOT_FOUND',
  'PROMPT_NOT_FOUND',
  'POLICY_DENIED', // by a deny rule
  'APPROVAL_REJECTED',
  'UPSTREAM_ERROR',
  'OPERATION_CANCELLED',
];

it.each(errorCodes)(
  'the envelope of %s has the next step in its hint or its message, or is a decision',
  async (code) => {
    const { error } = await envelopes[code]();
    expect(error?.code).toBe(code);
    const text = [error?.message, ...(error?.hint === undefined ? [] : [error.hint])].join('; ');
    expect([code, nextStep.test(text)]).toEqual([code, !withoutNextStep.includes(code)]);
  },
);

it('the envelope of an unknown tool has the similar ids in its hint', async () => {
  const { error } = await (await start()).execute({ kind: 'tool', id: 's.wrok' });
  expect(error?.hint).toBe('did you mean "s.work"?');
});
