// A user of the calling client keeps an approval: by the choices that the question offers, and by no others.
import type { JsonObject } from '@portico/contracts';
import type { MemoryServer, ServerRequest } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { type CallInput, connectPlane, tool } from '../testing/start-plane.js';

const s: MemoryServer = {
  definitions: { tools: [tool('push'), tool('wipe', { annotations: { destructiveHint: true } })] },
  handle: ({ params }) => ({ content: [], structuredContent: params.arguments as JsonObject }),
};
const grants = { enabled: true, maxTtlSecs: 3600, maxUses: 30 };
const args = { repo: 'acme/site', title: 'one', token: 't', labels: ['a'], n: 3 };

type Answers = readonly (JsonObject | undefined)[];

/** @param answers of the user to each question; a client without an answer has closed the form */
async function start(answers: Answers, policy: object = {}, rest: object = {}) {
  const asked: ServerRequest[] = [];
  const left = [...answers];
  const ask = async (question: ServerRequest): Promise<JsonObject> => {
    asked.push(question);
    const content = left.shift();
    return content === undefined ? { action: 'cancel' } : { action: 'accept', content };
  };
  const client = { capabilities: { elicitation: {} }, ask, onProgress: undefined, logLevel: undefined };
  const file = { policy: { requireApproval: ['s.*'], grants, ...policy }, ...rest };
  const started = await connectPlane({ s }, file);
  const call = (more: Partial<CallInput> = {}): CallInput =>
    ({ kind: 'tool', id: 's.push', args, client, ...more }) as CallInput;
  const listed = async () => (await started.plane.grants.list({ state: 'all', limit: 9, offset: 0 })).grants;
  type Form = { readonly properties: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
  const fieldsOf = (at: number) => (asked[at]?.params.requestedSchema as Form | undefined)?.properties ?? {};
  return { ...started, asked, call, listed, fieldsOf };
}

describe('the question to a client', () => {
  it('offers scopes that are made from the call, times and uses within the limits', async () => {
    const { execute, call, fieldsOf } = await start([undefined]);
    await execute(call());
    const { decision, for: time, uses } = fieldsOf(0);
    expect(decision?.enum).toEqual(['once', 'same_arguments', 'this_repo', 'this_title', 'this_n', 'no']);
    expect(time?.enum).toEqual(['15m', '1h']);
    expect(uses?.enum).toEqual(['5', '20']);
  });

  it.each<[string, object, Partial<CallInput>]>([
    ['without grants', { grants: null }, {}],
    ['for a destructive tool', {}, { id: 's.wipe' }],
  ])('is as it was %s', async (_what, policy, more) => {
    const { execute, call, fieldsOf } = await start([{ decision: 'approve' }], policy);
    expect((await execute(call(more))).ok).toBe(true);
    expect(fieldsOf(0)).toMatchObject({ decision: { enum: ['approve', 'reject'] } });
    expect(Object.keys(fieldsOf(0))).toEqual(['decision', 'reason']);
  });

  it.each<[JsonObject, JsonObject]>([
    [
      { decision: 'this_repo', for: '1h', uses: '20' },
      { free: ['/title', '/token', '/labels', '/n'], uses: 20 },
    ],
    [{ decision: 'this_n' }, { free: ['/repo', '/title', '/token', '/labels'], uses: 5 }],
    [
      { decision: 'same_arguments', for: '15m' },
      { free: [], uses: 5 },
    ],
  ])('answered with %j makes a grant, which answers the next call without a question', async (answer, made) => {
    const { execute, call, listed, asked, audit } = await start([answer]);
    expect((await execute(call())).ok).toBe(true);
    expect(await listed()).toMatchObject([{ ...made, issued_by: 'local (at the client)', uses_left: made.uses }]);
    expect((await execute(call())).ok).toBe(true);
    expect(asked).toHaveLength(1);
    const [grant] = await listed();
    expect((grant?.expires_at ?? 0) - (grant?.created_at ?? 0)).toBe(answer.for === '1h' ? 3600 : 900);
    expect(audit.kept().map(({ details }) => details?.action)).toContain('grant_issued');
  });

  it.each<[JsonObject, boolean, string | undefined]>([
    [{ decision: 'once' }, true, undefined],
    [{ decision: 'no', reason: 'late' }, false, 'APPROVAL_REJECTED'],
    [{ decision: 'approve' }, false, 'APPROVAL_PENDING'],
    [{ decision: 'this_labels' }, false, 'APPROVAL_PENDING'],
    [{ decision: 'this_token' }, false, 'APPROVAL_PENDING'],
    [{ decision: 'this_' }, false, 'APPROVAL_PENDING'],
    [{ decision: 'same_arguments', uses: '1000' }, false, 'APPROVAL_PENDING'],
    [{ decision: 'same_arguments', uses: [20] }, false, 'APPROVAL_PENDING'],
    [{ decision: 'same_arguments', for: '8h' }, false, 'APPROVAL_PENDING'],
    [{ decision: 'same_arguments', keep: [] }, true, undefined],
    [{ decision: ['same_arguments'] }, false, 'APPROVAL_PENDING'],
  ])('answered with %j: %s', async (answer, isRun, code) => {
    const { execute, call, listed } = await start([answer]);
    const { ok, error } = await execute(call());
    expect([ok, error?.code]).toEqual([isRun, code]);
    const isKept = answer.decision === 'same_arguments' && isRun;
    expect(await listed()).toHaveLength(isKept ? 1 : 0);
    if (isKept) expect((await listed())[0]).toMatchObject({ free: [] });
  });

  it('is put to no user who may not decide, and the arguments of a call are no answer', async () => {
    const rbac = { roles: { agent: { allow: ['*'] } }, tokens: [] };
    const { execute, call, listed, asked } = await start([{ decision: 'same_arguments' }], {}, { rbac });
    const forged = { ...args, decision: 'same_arguments', for: '1h' };
    const { error } = await execute(call({ role: 'agent', principal: 'bot', args: forged }));
    expect(error?.code).toBe('APPROVAL_PENDING');
    expect(asked).toEqual([]);
    expect(await listed()).toEqual([]);
  });
});
