import { AbortSource } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import type { SendOutcome, ServerRequest } from '@portico/upstream-pool';
import { describe, expect, it } from 'vitest';
import { CallFailure } from '../../call/call.js';
import { toCall } from '../../testing/start-plane.js';
import type { Attempt } from './classify.js';
import { type ConverseDeps, PendingRequest } from './converse.js';
import type { TurnAnswer } from './turn-answer.js';

const question = (message: string): ServerRequest => ({ method: 'elicitation/create', params: { message } });
const outcome: SendOutcome = { kind: 'answered', result: { content: [] } };
const ended = { data: { content: [] }, isPaused: false };

/** The part of an attempt that a pending request uses. */
function attemptUnder(source: AbortSource, inputResponses: JsonObject = {}): Attempt {
  const operation = { signal: source, atMs: 0, principal: 'local', abort: (reason: unknown) => source.abort(reason) };
  const call = { ...toCall({ kind: 'tool', id: 's.ask' }), inputResponses };
  const target = { kind: 'tool', server: 's', id: 's.ask', names: [['s.ask']], name: 'ask' };
  return { run: { call, operation }, target, claim: null } as unknown as Attempt;
}

function start() {
  const parked = { park: () => ({ state: 'parked' }) };
  const first = new AbortSource();
  const on = { parked, clock: { now: () => 0 } } as unknown as ConverseDeps; // nothing else is used before it is abandoned
  const request = new PendingRequest(on, attemptUnder(first), { method: 'tools/call', params: {} });
  const next = () => request.next();
  const resume = (answers: JsonObject, source = new AbortSource()) => request.resume(attemptUnder(source, answers));
  return { request, next, resume, first, end: (ended: SendOutcome) => request.resolve(ended) };
}

function keysOf(turn: TurnAnswer | CallFailure) {
  if (turn instanceof CallFailure) return turn;
  return turn.isPaused ? Object.keys(turn.data.inputRequests as JsonObject) : turn.data;
}

describe('a request that waits for its upstream', () => {
  it('puts questions together that are asked at once', async () => {
    const { request, next, resume } = start();
    const turn = next();
    const answers = ['one', 'two'].map((message) => request.park(question(message), new AbortSource()));
    expect(keysOf(await turn)).toEqual(['q1', 'q2']);
    void resume({ q1: { n: 1 }, q2: { n: 2 } });
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
    expect(await turn).toMatchObject(ended);
  });

  it('gives the end, and the open questions, to a later reader', async () => {
    const { request, next, resume, end } = start();
    void request.park(question('one'), new AbortSource());
    expect(keysOf(await next())).toEqual(['q1']);
    const later = resume({ q1: {} });
    end(outcome);
    expect(await later).toMatchObject(ended);
    expect(await next()).toMatchObject(ended);
    expect(await request.answerAtEnd()).toMatchObject(ended);
  });

  it('ends with a later operation while that waits', async () => {
    const { request, resume, first } = start();
    const later = new AbortSource();
    const turn = resume({}, later);
    later.abort(new Error('cancelled'));
    expect(first.aborted).toBe(true);
    void request.park(question('one'), new AbortSource());
    expect(keysOf(await turn)).toEqual(['q1']);
  });
});
