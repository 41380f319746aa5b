// Calls that repeat themselves without a change: what is refused, asked about or recorded, and what is not.
import { UpstreamFailure } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { CallSource } from '../call/call-source.js';
import { pollingSessions } from '../testing/polling-sessions.js';
import { type CallInput, caller, connectPlane, correlation, tool, traceId } from '../testing/start-plane.js';

const order: CallInput = { kind: 'tool', id: 's.order', args: { item: 'tea' } };
const look: CallInput = { kind: 'tool', id: 's.look' };
const refused = { ok: false, error: { code: 'POLICY_DENIED', reason: 'loop' } };
const ran = { ok: true };

/** @param answer text of a result, by the number of requests before it */
async function start(loops: object = {}, answer: (before: number) => string = () => 'done', file: object = {}) {
  let count = 0;
  const handle = () => {
    count += 1;
    return { content: [{ type: 'text', text: answer(count - 1) }] };
  };
  const definitions = { tools: ['order', 'look', 'fail'].map((name) => tool(name)) };
  const started = await connectPlane({ s: { definitions, handle } }, { loops, ...file });
  const repeat = async (input: CallInput, times: number) => {
    const envelopes = [];
    for (let at = 0; at < times; at += 1) envelopes.push(await started.execute(input));
    return envelopes;
  };
  return { ...started, repeat, contacts: () => started.server('s').requests().length };
}

describe('a call that repeats itself', () => {
  it('8,910 times is sent 5 times, and each refusal says when it may run again and what to do', async () => {
    const { repeat, contacts } = await start();
    const envelopes = await repeat(order, 8910);
    expect(contacts()).toBe(5);
    expect(envelopes.filter(({ ok }) => ok)).toHaveLength(5);
    expect(envelopes.at(-1)).toEqual({
      ok: false,
      request_id: null,
      trace_id: traceId,
      retry: { classification: 'safe', upstream_execution_state: 'not_started' },
      data: null,
      error: {
        code: 'POLICY_DENIED',
        message:
          '"s.order" is a loop: the same arguments had the same result 5 times within 600 s (loops.identical, loops.withinSecs), one after the other; it is not run again',
        retryable: false,
        reason: 'loop',
        hint: 'do not repeat this call: report what was tried, and ask the user how to go on',
        retry_after_secs: 600,
      },
    });
  });

  it.each([
    ['half a surrogate pair', { 'a\ud800': 'b\udc00\\ud', c: 1 }, { c: 1, 'a\ud800': 'b\udc00\\ud' }],
    ['other modifiers of the result', { item: 'tea', _limit_lines: 7 }, { item: 'tea', _limit_lines: 8 }],
  ])('is the same call with %s', async (_name, args, others) => {
    const { repeat } = await start({ identical: 2 });
    expect(await repeat({ ...order, args }, 2)).toMatchObject([ran, ran]);
    expect(await repeat({ ...order, args: others }, 1)).toMatchObject([refused]);
    expect(await repeat({ ...order, args: { ...args, item: 'coffee' } }, 1)).toMatchObject([ran]);
  });

  it('runs without the block in the configuration', async () => {
    const { repeat, contacts } = await start(undefined, () => 'done', { loops: null });
    await repeat(order, 20);
    expect(contacts()).toBe(20);
  });

  it('runs again after the time that the refusal says, if its caller stops until then', async () => {
    const { repeat, execute, clock } = await start({ identical: 2, withinSecs: 60 });
    const [, , denied] = await repeat(order, 3);
    expect(denied).toMatchObject({ error: { retry_after_secs: 60 } });
    await clock.advance(59_999);
    expect(await execute(order)).toMatchObject(refused);
    await clock.advance(60_000);
    expect(await execute(order)).toMatchObject(ran);
  });

  it('runs with other arguments, after another call, and for another session, work item or principal', async () => {
    const { repeat, execute } = await start();
    const stuck = await repeat(order, 6);
    expect(stuck.at(-1)).toMatchObject(refused);
    const source = new CallSource({ channel: 'stdio' });
    for (const other of [
      { ...order, args: { item: 'milk' } },
      { ...order, caller: { ...caller, source } },
      { ...order, correlation: { ...correlation, context: { work_item_id: 'w' } } },
      { ...order, principal: 'ada' },
      look,
      order,
    ])
      expect(await execute(other)).toMatchObject(ran);
  });

  it('is sent 64 times at once, and is a loop from then on if the results were the same', async () => {
    const same = await start();
    const envelopes = await Promise.all(Array.from({ length: 64 }, () => same.execute(order)));
    expect(envelopes.filter(({ ok }) => ok)).toHaveLength(64);
    expect(await same.execute(order)).toMatchObject(refused);
    expect(same.contacts()).toBe(64);
    const other = await start({}, (before) => `place ${before} in the queue`);
    await Promise.all(Array.from({ length: 64 }, () => other.execute(order)));
    expect(await other.execute(order)).toMatchObject(ran);
  });

  it('is a loop also if it fails at its server each time', async () => {
    const failing = await start({ identical: 3 }, () => {
      throw new UpstreamFailure('no', { kind: 'rejected', error: { code: 1, message: 'no' } });
    });
    const envelopes = await failing.repeat(order, 5);
    expect(failing.contacts()).toBe(3);
    expect(envelopes.at(-1)).toMatchObject(refused);
  });

  it('is no loop while it is not sent', async () => {
    const { repeat } = await start({ identical: 2 });
    const unknown = await repeat({ kind: 'tool', id: 's.nothing' }, 5);
    expect(unknown.map(({ error }) => error?.code)).toEqual(Array(5).fill('TOOL_NOT_FOUND'));
  });

  it('counts no replays, and answers one also while it is a loop', async () => {
    const { execute, repeat, contacts } = await start({ identical: 3 });
    const keyed = { ...order, idempotencyKey: 'k' };
    const replays = await repeat(keyed, 10);
    expect([replays.every(({ ok }) => ok), contacts()]).toEqual([true, 1]);
    await repeat(order, 5);
    expect(contacts()).toBe(3);
    expect(await execute(keyed)).toMatchObject(ran);
    expect(await execute({ ...order, idempotencyKey: 'other' })).toMatchObject(refused);
    expect(contacts()).toBe(3);
  });

  it('is no loop by an exception', async () => {
    const { repeat, contacts } = await start({ except: ['s.or*'] });
    await repeat(order, 10);
    expect(contacts()).toBe(10);
  });

  it('compares results without their metadata', async () => {
    let count = 0;
    const handle = () => {
      count += 1;
      return { content: [], _meta: { count } };
    };
    const started = await connectPlane({ s: { definitions: { tools: [tool('order')] }, handle } }, { loops: {} });
    for (let at = 0; at < 5; at += 1) await started.execute(order);
    expect(await started.execute(order)).toMatchObject(refused);
  });

  it('leaves a record that names the loop, one line in the log, and a count of what followed', async () => {
    const { repeat, audit, log, metrics } = await start();
    await repeat(order, 8);
    expect(audit.kept().at(-1)).toMatchObject({
      event_type: 'policy_violation',
      status: 'denied',
      rule: 'loop:identical',
      error_code: 'POLICY_DENIED',
      details: { reason: 'loop' },
    });
    expect(log.filter(({ message }) => message.includes('repeats itself'))).toEqual([
      expect.objectContaining({ level: 'warn', message: 'a call repeats itself without a change (identical)' }),
    ]);
    expect(metrics.read('portico_loops_total')).toContainEqual({ labels: { effect: 'deny' }, value: 3 });
  });
});

describe('two calls that take turns', () => {
  it('are a loop after as many turns, and both are refused', async () => {
    const { execute, contacts } = await start({ identical: 4 });
    const envelopes = [];
    for (let at = 0; at < 20; at += 1) envelopes.push(await execute(at % 2 === 0 ? order : look));
    expect(contacts()).toBe(8);
    expect(envelopes.slice(8)).toEqual(envelopes.slice(8).map(() => expect.objectContaining({ ok: false })));
    expect(envelopes.at(-1)?.error?.message).toContain('in turns with another call');
  });

  it('run where `alternating` is off', async () => {
    const { execute, contacts } = await start({ identical: 2, alternating: false });
    for (let at = 0; at < 12; at += 1) await execute(at % 2 === 0 ? order : look);
    expect(contacts()).toBe(12);
  });
});

describe('what follows a loop', () => {
  it('may be a person, for each further run', async () => {
    const { repeat, execute, plane, contacts, audit } = await start({ identical: 2, onDetected: 'requireApproval' });
    await repeat(order, 2);
    const pending = await execute(order);
    expect(pending).toMatchObject({ error: { code: 'APPROVAL_PENDING', approval_id: 'appr-0-1' } });
    expect(await plane.approvals.get('appr-0-1')).toMatchObject({ rule: 'loop:identical' });
    expect(await plane.approvals.approve('appr-0-1', 'me', null)).toMatchObject({ result: { ok: true } });
    expect(contacts()).toBe(3);
    expect(await execute(order)).toMatchObject({ error: { code: 'APPROVAL_PENDING' } });
    expect(audit.kept().filter(({ event_type }) => event_type === 'approval_created')).toHaveLength(2);
  });

  it('may be nothing but a record', async () => {
    const { repeat, contacts, audit } = await start({ identical: 2, onDetected: 'warn' });
    await repeat(order, 6);
    expect(contacts()).toBe(6);
    expect(audit.kept().map(({ details }) => details)).toEqual([
      undefined,
      undefined,
      ...Array(4).fill({ loop: 'identical' }),
    ]);
  });

  it('comes before the question to a person that a rule asks for', async () => {
    const policy = { requireApproval: ['s.order'] };
    const { execute, plane, contacts } = await start({ identical: 2 }, () => 'done', { policy });
    for (const id of ['appr-0-1', 'appr-0-2']) {
      expect(await execute(order)).toMatchObject({ error: { code: 'APPROVAL_PENDING' } });
      await plane.approvals.approve(id, 'me', null);
    }
    expect(contacts()).toBe(2);
    expect(await execute(order)).toMatchObject(refused);
  });

  it('follows for the steps of a batch too', async () => {
    const { plane, contacts } = await start({ identical: 2 });
    const steps = Array.from({ length: 4 }, (_, at) => ({
      id: `${at}`,
      capability_id: 's.order',
      args: {},
      continue_on_error: true,
    }));
    const signal = new AbortController().signal;
    const { results } = await plane.executeBatch({ steps, correlation, caller, signal, idempotencyKey: null });
    expect([results.map(({ ok }) => ok), contacts()]).toEqual([[true, true, false, false], 2]);
  });
});

it.each(pollingSessions)('finds no loop in $name', async ({ calls, everySecs }) => {
  const { execute, clock, contacts } = await connectSession(calls);
  for (const [id, args] of calls) {
    expect(await execute({ kind: 'tool', id, args })).toMatchObject(ran);
    await clock.advance(everySecs * 1000);
  }
  expect(contacts()).toBe(calls.length);
});

/** Servers with the tools of a session, which answer as it says. */
async function connectSession(calls: (typeof pollingSessions)[number]['calls']) {
  let at = 0;
  const handle = () => {
    const text = calls[at]?.[2] ?? '';
    at += 1;
    return { content: [{ type: 'text', text }] };
  };
  const ids = [...new Set(calls.map(([id]) => id))].map((id) => id.split('.') as [string, string]); // each has one dot
  const servers = Object.fromEntries(
    ids.map(([server]) => [
      server,
      { definitions: { tools: ids.filter(([of]) => of === server).map(([, name]) => tool(name)) }, handle },
    ]),
  );
  const started = await connectPlane(servers, { loops: {} });
  return { ...started, contacts: () => at };
}
