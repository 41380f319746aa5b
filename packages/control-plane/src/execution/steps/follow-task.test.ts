// A task whose server does not take the answers to its questions at once, or not at all.
import { settleWith } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import {
  createManualClock,
  type SendDeadline,
  type SendOutcome,
  type Upstream,
  type UpstreamRequest,
} from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { followTask } from './follow-task.js';

const task = { id: 't', era: 'modern', pollMs: 1000 } as const;
const lost: SendOutcome = { kind: 'unreachable', reason: 'gone for a moment', sent: false };
const refused: SendOutcome = { kind: 'rejected', error: { code: -32602, message: 'no' } };
const answered = (result: JsonObject): SendOutcome => ({ kind: 'answered', result });

function serverOf(
  send: (request: UpstreamRequest, deadline: SendDeadline) => Promise<SendOutcome>,
): Pick<Upstream, 'dispatch'> {
  return { dispatch: (request, deadline, _handler, settle) => settleWith(settle, send(request, deadline)) };
}

/**
 * Follows a task that asks until an update was taken. @param updates the outcomes of the updates, the last one for all
 * others
 */
function follow(updates: readonly (SendOutcome | 'taken' | 'taken, but lost')[]) {
  const clock = createManualClock();
  const methods: string[] = [];
  let isTold = false;
  let count = 0;
  let outcome: SendOutcome | undefined;
  const update = (): SendOutcome => {
    const next = updates[Math.min(count, updates.length - 1)] ?? 'taken';
    count += 1;
    if (typeof next !== 'string') return next;
    isTold = true;
    return next === 'taken' ? answered({}) : { kind: 'unreachable', reason: 'lost', sent: true };
  };
  const status = () =>
    isTold
      ? answered({ status: 'completed', result: { content: [] } })
      : answered({ status: 'input_required', inputRequests: { q: { method: 'elicitation/create', params: {} } } });
  let asked = 0;
  const done = followTask(
    {
      clock,
      server: serverOf(async ({ method }) => {
        methods.push(method);
        if (method === 'tasks/update') return update();
        return method === 'tasks/get' ? status() : answered({});
      }),
    },
    task,
    { signal: new AbortController().signal, atMs: Number.POSITIVE_INFINITY },
    {
      capabilities: {},
      async onServerRequest() {
        asked += 1;
        return { action: 'accept' };
      },
    },
  ).then((ended) => {
    outcome = ended;
  });
  return { clock, methods, done, asked: () => asked, outcome: () => outcome };
}

describe('the answers for a task', () => {
  it('are sent again when its server is briefly unavailable, and no client is asked twice', async () => {
    const { clock, methods, outcome, asked } = follow([lost, lost, 'taken']);
    for (let second = 0; second < 3; second += 1) await clock.advance(1000);
    expect(outcome()).toEqual({ kind: 'answered', result: { content: [] } });
    expect(methods).toEqual(['tasks/get', 'tasks/update', 'tasks/update', 'tasks/update', 'tasks/get']);
    expect(asked()).toBe(1);
  });

  it('may have been taken when they are refused the second time: the task goes on', async () => {
    const { clock, outcome, methods } = follow(['taken, but lost', refused]);
    for (let second = 0; second < 3; second += 1) await clock.advance(1000);
    expect(outcome()).toEqual({ kind: 'answered', result: { content: [] } });
    expect(methods).not.toContain('tasks/cancel');
  });

  it.each([
    ['that its server refuses', refused, 1, { kind: 'rejected' }],
    ['that do not reach it for too long', lost, 303, { kind: 'unreachable', sent: true }],
  ])('%s end it, at its server too', async (_what, update, seconds, ended) => {
    const { clock, outcome, methods } = follow([update]);
    for (let second = 0; second < seconds; second += 1) await clock.advance(1000);
    expect(outcome()).toMatchObject(ended);
    expect(methods.at(-1)).toBe('tasks/cancel');
    expect(clock.sleeping()).toBe(0);
  });
});

it('a task that is cancelled ends, also if notifying its server fails unexpectedly', async () => {
  const caller = new AbortController();
  const clock = createManualClock();
  const methods: string[] = [];
  const done = followTask(
    {
      clock,
      server: serverOf(async ({ method }, { signal }) => {
        methods.push(method);
        if (method === 'tasks/cancel') throw new RangeError('a defect');
        return signal.aborted ? { kind: 'aborted', sent: false } : answered({ status: 'working' });
      }),
    },
    task,
    { signal: caller.signal, atMs: Number.POSITIVE_INFINITY },
    { capabilities: {}, onServerRequest: async () => ({}) },
  );
  await clock.advance(0);
  caller.abort();
  expect(await done).toEqual({ kind: 'aborted', sent: true });
  expect(methods).toEqual(['tasks/get', 'tasks/get', 'tasks/cancel']);
  await clock.advance(0);
  expect(clock.sleeping()).toBe(0);
});
