import { AbortSource } from '@portico/async';
import type { SendOutcome, ServerRequest } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import type { Operation } from '../call/operations.js';
import { PendingRequest, type Turn } from './pending-request.js';

const question = (message: string): ServerRequest => ({ method: 'elicitation/create', params: { message } });
const outcome: SendOutcome = { kind: 'answered', result: { content: [] } };

function start() {
  const source = new AbortSource();
  const first = { signal: source, atMs: 0, abort: (reason: unknown) => source.abort(reason) };
  const request = new PendingRequest({ operation: first });
  const next = (operation: Pick<Operation, 'signal'> = first) => request.next(operation, (turn) => turn);
  return { request, next, first, end: (ended: SendOutcome) => request.resolve(ended) };
}

const keysOf = (turn: Turn) => (turn.kind === 'asked' ? [...turn.questions.keys()] : turn.kind);

describe('a request that waits for its upstream', () => {
  it('puts questions together that are asked at once', async () => {
    const { request, next } = start();
    const turn = next();
    const answers = ['one', 'two'].map((message) => request.park(question(message), new AbortSource()));
    expect(keysOf(await turn)).toEqual(['q1', 'q2']);
    request.answer({ q1: { n: 1 }, q2: { n: 2 } });
    expect(await Promise.all(answers)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('does not put a question that is taken back at once', async () => {
    const { request, next, end } = start();
    const turn = next();
    const gone = new AbortSource();
    const answer = request.park(question('one'), gone);
    gone.abort(new Error('never mind'));
    await expect(answer).rejects.toThrow('never mind');
    end(outcome);
    expect(await turn).toEqual({ kind: 'ended', outcome });
  });

  it('gives the end, and what is open, to who asks later', async () => {
    const { request, next, end } = start();
    void request.park(question('one'), new AbortSource());
    expect(keysOf(await next())).toEqual(['q1']);
    request.answer({ q1: {} });
    end(outcome);
    expect(await next()).toEqual({ kind: 'ended', outcome });
    expect(await request.ended()).toEqual(outcome);
  });

  it('ends with a later operation while that waits', async () => {
    const { request, next, first } = start();
    const later = new AbortSource();
    const turn = next({ signal: later });
    later.abort(new Error('cancelled'));
    expect(first.signal.aborted).toBe(true);
    void request.park(question('one'), new AbortSource());
    expect(keysOf(await turn)).toEqual(['q1']);
  });
});
